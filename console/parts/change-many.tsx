// Retries or cancels all jobs that the filter of the list finds, after saying how many these are.
import { useState } from 'preact/hooks'
import type { paths } from '../../client/api.js'
import { api, type Job, type Problem, problemOf } from '../api.js'
import { useMay } from '../permissions.js'
import { isOfPlatform } from '../session.js'
import { count, kindName } from '../words.js'
import { ProblemBox } from './shown.js'

/** The filter of the list, without its status. */
type Filter = Omit<NonNullable<paths['/api/v1/jobs/retry']['post']['parameters']['query']>, 'Status'>

const retried = ['Failed', 'Cancelled'] as const
const cancelled = ['Accepted', 'Running', 'Failed'] as const

/** Returns how jobs of a status are changed, by whoever looks after them. */
function changesOf(status: Job['status'] | undefined, tenant: string | undefined) {
  const ofTenant = tenant && { Tenant: tenant }
  const changes = []
  const toRetry = retried.find(each => each === status)
  if (toRetry)
    changes.push({
      verb: 'Retry',
      done: 'retried',
      call(filter: Filter) {
        const query = { ...filter, Status: [toRetry] }
        return isOfPlatform
          ? api.POST('/admin/v1/jobs/retry', { params: { query: { ...query, ...ofTenant } } })
          : api.POST('/api/v1/jobs/retry', { params: { query } })
      },
    })
  const toCancel = cancelled.find(each => each === status)
  if (toCancel)
    changes.push({
      verb: toCancel === 'Failed' ? 'Give up' : 'Cancel',
      done: toCancel === 'Failed' ? 'given up' : 'cancelled',
      call(filter: Filter) {
        const query = { ...filter, Status: [toCancel] }
        return isOfPlatform
          ? api.POST('/admin/v1/jobs/cancel', { params: { query: { ...query, ...ofTenant } } })
          : api.POST('/api/v1/jobs/cancel', { params: { query } })
      },
    })
  return changes
}
type Change = ReturnType<typeof changesOf>[number]

interface Props {
  /** The status by which the list is filtered, if it is. */
  status: Job['status'] | undefined
  filter: Filter
  tenant: string | undefined
  again(): void
}

/** Buttons for all jobs of the list, if it shows those of one status with which something can be done. */
export function ChangeMany({ status, filter, tenant, again }: Props) {
  const [said, setSaid] = useState('')
  const [refusal, setRefusal] = useState<Problem>()
  const [isBusy, setBusy] = useState(false)
  const may = useMay()
  const changes = changesOf(status, tenant)
  if (changes.length === 0 || !may(isOfPlatform ? 'Edit:PlatformJob' : 'Edit:Job')) return null

  const changeAll = async ({ verb, done, call }: Change) => {
    /** Makes a call, and says why it was refused. */
    const made = async (more: Filter) => {
      const { data, error } = await call({ ...filter, ...more }).catch(error => ({ error, data: undefined }))
      setRefusal(data ? undefined : problemOf(error))
      return data
    }
    const plan = await made({})
    if (!plan || plan.found === 0) return
    const kinds = plan.kinds.map(({ kind, jobs }) => `${count(jobs)} × ${kindName(kind)}`).join('\n')
    if (!confirm(`${verb} ${count(plan.found)} jobs?\n\n${kinds}`)) return
    let changed = 0
    for (let after: string | undefined, left = 1; left > 0; ) {
      const answer = await made({ AsOf: plan.asOf, ...(after && { After: after }) })
      if (!answer) break
      changed += answer.jobs.filter(({ outcome }) => outcome !== 'skipped').length
      setSaid(`${count(changed)} of ${count(plan.found)} ${done}`)
      after = answer.jobs.at(-1)?.jobId
      left = after === undefined ? 0 : answer.left
    }
    again()
  }
  return (
    <div class="actions">
      {changes.map((change, n) => (
        <button
          key={change.verb}
          type="button"
          class={n > 0 ? 'quiet' : undefined}
          disabled={isBusy}
          onClick={async () => {
            setBusy(true)
            await changeAll(change)
            setBusy(false)
          }}
        >
          {change.verb} them all
        </button>
      ))}
      <span role="status">{said}</span>
      {refusal && <ProblemBox problem={refusal} />}
    </div>
  )
}
