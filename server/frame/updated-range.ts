// Filters lists by the time of the last write.
import { moment } from '../time-range.js'

export const updatedRange = {
  UpdatedFrom: moment(
    'Written at this time or later. The time is that of the write, which may become visible some seconds later.',
  ),
  UpdatedTo: moment('Written before this time.'),
}
