// Retries or cancels all jobs that the filter of the list finds, after saying how many these are.
import { useState } from 'preact/hooks'
import type { paths } from '../../client/api.js'
import { api, type Problem, problemOf } from '../api.js'
import { isOfPlatform } from '../session.js'
import { count, kindName } from '../words.js'
import { ProblemBox } from './shown.js'

type Change = 'retry' | 'cancel'
type Filter = Omit<NonNullable<paths['/api/v1/jobs/retry']['post']['parameters']['query']>, 'Status'> & {
  Status?: ('Accepted' | 'Running' | 'Completed' | 'Failed' | 'Cancelled')[]
}

/** What can be done with jobs of a status. */
const changes = { Failed: 'retry', Cancelled: 'retry', Accepted: 'cancel', Running: 'cancel' } as const

function call(change: Change, { Status: status, ...filter }: Filter, tenant: string | undefined) {
  const isOne = <S extends string>(wanted: readonly S[]) => status?.flatMap(each => wanted.filter(one => one === each))
  const ofPlatform = { ...filter, ...(tenant && { Tenant: tenant }) }
  if (change === 'retry') {
    const Status = isOne(['Failed', 'Cancelled'] as const) ?? []
    return isOfPlatform()
      ? api.POST('/admin/v1/jobs/retry', { params: { query: { ...ofPlatform, Status } } })
      : api.POST('/api/v1/jobs/retry', { params: { query: { ...filter, Status } } })
  }
  const Status = isOne(['Accepted', 'Running'] as const) ?? []
  return isOfPlatform()
    ? api.POST('/admin/v1/jobs/cancel', { params: { query: { ...ofPlatform, Status } } })
    : api.POST('/api/v1/jobs/cancel', { params: { query: { ...filter, Status } } })
}

/** A button for all jobs of the list, if it shows those of one status with which something can be done. */
export function ChangeMany({ asked, tenant, again }: { asked: Filter; tenant: string | undefined; again(): void }) {
  const [said, setSaid] = useState('')
  const [refusal, setRefusal] = useState<Problem>()
  const [isBusy, setBusy] = useState(false)
  const [status] = asked.Status ?? []
  if (status === undefined || status === 'Completed') return null
  const change = changes[status]
  const name = change === 'retry' ? 'Retry them all' : 'Cancel them all'

  /** Makes a call, and says why it was refused. */
  const made = async (more: Filter) => {
    const { data, error } = await call(change, { ...asked, ...more }, tenant).catch(() => ({
      error: undefined,
      data: undefined,
    }))
    setRefusal(data ? undefined : problemOf(error))
    return data
  }
  const changeAll = async () => {
    const plan = await made({})
    if (!plan || plan.found === 0) return
    const kinds = plan.kinds.map(({ kind, jobs }) => `${count(jobs)} × ${kindName(kind)}`).join('\n')
    if (!confirm(`${name.replace('them all', `${count(plan.found)} jobs`)}?\n\n${kinds}`)) return
    let done = 0
    for (let after: string | undefined, left = 1; left > 0; ) {
      const answer = await made({ AsOf: plan.asOf, ...(after && { After: after }) })
      if (!answer) break
      done += answer.jobs.filter(({ outcome }) => outcome !== 'skipped').length
      setSaid(`${count(done)} of ${count(plan.found)} ${change === 'retry' ? 'retried' : 'cancelled'}`)
      after = answer.jobs.at(-1)?.jobId
      left = after === undefined ? 0 : answer.left
    }
    again()
  }
  return (
    <div class="actions">
      <button
        type="button"
        disabled={isBusy}
        onClick={async () => {
          setBusy(true)
          await changeAll()
          setBusy(false)
        }}
      >
        {name}
      </button>
      <span role="status">{said}</span>
      {refusal && <ProblemBox problem={refusal} />}
    </div>
  )
}
