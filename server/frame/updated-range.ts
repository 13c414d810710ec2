// Filters lists by the time of the last write.
import { moment } from '../jobs/jobs.js'

export const updatedRange = {
  UpdatedFrom: moment(
    'Written at this time or later. The time is that of the write, which may become visible some seconds later.',
  ),
  UpdatedTo: moment('Written before this time.'),
}

export const readUpdatedRange = ({ UpdatedFrom, UpdatedTo }: { UpdatedFrom?: string; UpdatedTo?: string }) => ({
  updatedFrom: UpdatedFrom === undefined ? undefined : new Date(UpdatedFrom),
  updatedTo: UpdatedTo === undefined ? undefined : new Date(UpdatedTo),
})
