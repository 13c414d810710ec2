// Suspends a tenant, lets it go on, and exports or deletes one that is suspended.
import { useState } from 'preact/hooks'
import { api, type Job, type Problem, problemOf, required } from '../api.js'
import { useLive, useReading } from '../reading.js'
import { count } from '../words.js'
import { at } from './links.js'
import { Ago, Pending, ProblemBox, Status } from './shown.js'

const path = '/admin/v1/tenants/{tenantKey}/suspension'

interface Props {
  tenantKey: string
  /** Called when a job deletes the tenant. */
  deleted(): void
}

export function TenantLife({ tenantKey, deleted }: Props) {
  const params = { path: { tenantKey } }
  const { data, problem, again } = useReading(via => api.GET(path, { params, ...via }), [tenantKey])
  const [refusal, setRefusal] = useState<Problem>()
  const [isBusy, setBusy] = useState(false)
  const [exportJob, setExportJob] = useState<Job>()
  if (!data) return <Pending data={data} problem={problem} />

  /** Makes calls, and says why one was refused. */
  const change = async (make: () => Promise<void>) => {
    setBusy(true)
    const error = await make().then(
      () => undefined,
      (error: unknown) => problemOf(error),
    )
    setBusy(false)
    setRefusal(error)
    again()
  }
  const suspend = () =>
    change(async () => {
      const question = `Suspend the tenant ${tenantKey}?\n\nEvery call of its clients and people is refused, and its jobs, schedules and webhooks wait. Nothing is lost.`
      if (confirm(question)) required(await api.PUT(path, { params }))
    })
  const resume = () =>
    change(async () => {
      if (confirm(`Let the tenant ${tenantKey} go on?`)) required(await api.DELETE(path, { params }))
    })
  const remove = () =>
    change(async () => {
      const remove = (query: { confirm?: string }) =>
        api.DELETE('/admin/v1/tenants/{tenantKey}', { params: { path: { tenantKey }, query } })
      const plan = required(await remove({}))
      if (!('tables' in plan)) return
      const amount = `${count(plan.rows)} rows of ${count(Object.keys(plan.tables).length)} tables`
      const typed = prompt(`Delete the tenant ${tenantKey}, ${amount}, for good?\n\nType its key to delete it.`)
      if (typed === null) return
      required(await remove({ confirm: typed }))
      deleted()
    })
  const exportIt = () =>
    change(async () => {
      const recipient = prompt(
        `Export the tenant ${tenantKey} to an archive in the directory for exports?\n\nThe public key of age for which it is encrypted:`,
      )
      if (recipient === null) return
      const body = { recipient: recipient.trim(), destination: 'directory' as const }
      setExportJob(required(await api.POST('/admin/v1/tenants/{tenantKey}/export', { params, body })))
    })
  return (
    <>
      {refusal && <ProblemBox problem={refusal} />}
      {data.suspendedAt ? (
        <section class="waiting">
          <h2>Suspended</h2>
          <p>
            Since <Ago time={data.suspendedAt} /> every call of its clients and people is refused, and its work waits.
          </p>
          {exportJob && <Export begun={exportJob} />}
          <div class="actions">
            <button type="button" disabled={isBusy} onClick={resume}>
              Resume
            </button>
            <button type="button" class="second" disabled={isBusy} onClick={exportIt}>
              Export
            </button>
            <button type="button" class="second" disabled={isBusy} onClick={remove}>
              Delete
            </button>
          </div>
        </section>
      ) : (
        <div class="actions">
          <button type="button" class="second" disabled={isBusy} onClick={suspend}>
            Suspend
          </button>
        </div>
      )}
    </>
  )
}

/** The export that was begun: how far it is, and the file that it writes. */
function Export({ begun }: { begun: Job }) {
  const path = { jobId: begun.jobId }
  const { data: job = begun } = useLive(via => api.GET('/api/v1/jobs/{jobId}', { params: { path }, ...via }), [path])
  const { file } = Object(job.input) as { file?: string }
  return (
    <p role="status">
      <a href={at(`jobs/${job.jobId}`)}>Its export</a> <Status status={job.status} /> writes the file{' '}
      <code>tenants.archived/{file}</code> in the directory for exports.
    </p>
  )
}
