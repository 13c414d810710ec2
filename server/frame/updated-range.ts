// Filters lists by the time of the last write.
import { moment } from '../time-range.js'

export const updatedRange = {
  UpdatedFrom: moment(
    'Written at this time or later. Not a way to keep a copy up to date: a write may become visible minutes after its time, and what is deleted is never listed. The feeds of changes miss nothing.',
  ),
  UpdatedTo: moment('Written before this time.'),
}
