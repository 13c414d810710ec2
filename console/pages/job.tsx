// One job: how far it is, why it failed and what to do, what it was asked for, and the rows that it refused.
import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { api, isOpen, type Job, type Problem, problemOf } from '../api.js'
import { Items } from '../parts/items.js'
import { at } from '../parts/links.js'
import { Actor, useNames } from '../parts/people-names.js'
import { RefusedRows } from '../parts/refused-rows.js'
import { Ago, Facts, Pending, ProblemBox, Progress, Status } from '../parts/shown.js'
import { Title } from '../parts/title.js'
import { useMay } from '../permissions.js'
import { useLive, useReading, type Via } from '../reading.js'
import { count, duration, kindName, moment, tookOf, wordsOf } from '../words.js'

/** Tells whether a job has moved people, so that they can go back. */
const isUndoable = (job: Job) => {
  const { kind, progress, counts, undoneBy } = job
  const moved = kind === 'subjectTransfer' ? progress.done : (counts.moved ?? 0) + (counts.unassigned ?? 0)
  return ['subjectTransfer', 'subjectImport'].includes(kind) && moved > 0 && !isOpen(job) && !undoneBy
}

export function JobPage() {
  const jobId = useRoute().params.jobId ?? ''
  const path = { jobId }
  const reading = useLive(via => api.GET('/api/v1/jobs/{jobId}', { params: { path }, ...via }), [jobId])
  const { data: job, problem } = reading
  const undo = useUndo(job?.undoneBy)
  const nameOf = useNames([job?.actor, job?.cancelledBy, job?.retriedBy, undo?.actor])
  const may = useMay()
  if (!job) return <Pending title="Job" data={job} problem={problem} />
  const who = (actor: string | undefined) => actor && <Actor actor={actor} nameOf={nameOf} />
  return (
    <>
      <p class="back">
        <a href={at('jobs')}>Jobs</a>
      </p>
      <Title name={`${kindName(job.kind)} ${job.status.toLowerCase()}, ${jobId.slice(0, 8)}…`}>
        {kindName(job.kind)} <Status status={job.status} />
      </Title>
      {isOpen(job) && <Progress {...job.progress} />}
      {job.waiting && (
        <section class="waiting">
          <h2>It waits</h2>
          <p>{job.waiting.reason}</p>
          <p>
            It began to wait <Ago time={job.waiting.since} />, and is tried again <Ago time={job.waiting.nextTry} />.
          </p>
        </section>
      )}
      {job.problem !== undefined && <ProblemBox problem={problemOf(job.problem)} />}
      {may('Edit:Job') && <Actions job={job} again={reading.again} />}
      {Object.values(job.counts).some(n => n > 0) && (
        <>
          <h2>What became of it</h2>
          <ul class="counts">
            {Object.entries(job.counts)
              .filter(([, n]) => n > 0)
              .map(([outcome, n]) => (
                <li key={outcome} class={outcome}>
                  <b>{count(n)}</b> {wordsOf(outcome)}
                </li>
              ))}
          </ul>
        </>
      )}
      {job.links.rejects && (job.counts.refused ?? 0) > 0 && <RefusedRows key={jobId} job={job} />}
      {job.kind === 'structuralEntityBulkUpsert' && <Items key={`items ${jobId}`} job={job} />}
      <h2>About the job</h2>
      <Facts
        facts={[
          ['Accepted', moment(job.acceptedAt)],
          ['Started', job.startedAt && moment(job.startedAt)],
          ['Ended', job.finishedAt && moment(job.finishedAt)],
          ['Took', tookOf(job)],
          ['Pace', job.progress.perSecond && `${count(job.progress.perSecond)} a second`],
          ['Ready in', job.progress.secondsLeft && duration(job.progress.secondsLeft * 1_000)],
          ['Asked for by', who(job.actor)],
          ['Attempt', job.attempt > 1 && count(job.attempt)],
          ['Cancelled by', who(job.cancelledBy)],
          ['Retried by', who(job.retriedBy)],
          [
            'Undone by',
            job.undoneBy && (
              <>
                {who(undo?.actor)} <a href={at(`jobs/${job.undoneBy}`)}>in this job</a>
              </>
            ),
          ],
          ['Trace', <code key="trace">{job.traceId}</code>],
          ['Job', <code key="id">{job.jobId}</code>],
        ]}
      />
      {job.input !== undefined && (
        <details>
          <summary>What was asked for</summary>
          <pre>{JSON.stringify(job.input, undefined, 2)}</pre>
        </details>
      )}
    </>
  )
}

/** Reads the job that has undone another one, if one has. */
function useUndo(jobId: string | undefined): Job | null | undefined {
  const read = async (via: Via) =>
    jobId === undefined ? { data: null } : api.GET('/api/v1/jobs/{jobId}', { params: { path: { jobId } }, ...via })
  return useReading<Job | null>(read, [jobId]).data
}

/** What can be done with a job, the call that does it, and what is asked first. */
const steps: readonly {
  name: string
  call: 'cancel' | 'retry' | 'undo'
  isPossible(job: Job): boolean
  question?: string
}[] = [
  { name: 'Retry', call: 'retry', isPossible: ({ status }) => status === 'Failed' || status === 'Cancelled' },
  {
    name: 'Cancel',
    call: 'cancel',
    isPossible: isOpen,
    question: 'Cancel this job? What is written stays, and a retry goes on from there.',
  },
  {
    name: 'Leave it',
    call: 'cancel',
    isPossible: ({ status }) => status === 'Failed',
    question: 'Leave this job as it is? It then waits for nobody. It can still be retried.',
  },
  {
    name: 'Undo',
    call: 'undo',
    isPossible: isUndoable,
    question: 'Undo what this job did? People go back to where they were.',
  },
]

function Actions({ job, again }: { job: Job; again(): void }) {
  const [refusal, setRefusal] = useState<Problem>()
  const [isBusy, setBusy] = useState(false)
  const take = async ({ call, question }: (typeof steps)[number]) => {
    if (question && !confirm(question)) return
    setBusy(true)
    const params = { path: { jobId: job.jobId } }
    const { error } = await api.POST(`/api/v1/jobs/{jobId}/${call}`, { params }).catch(error => ({ error }))
    setRefusal(error === undefined ? undefined : problemOf(error))
    setBusy(false)
    again()
  }
  return (
    <div class="actions">
      {steps
        .filter(({ isPossible }) => isPossible(job))
        .map((step, n) => (
          <button
            key={step.name}
            type="button"
            class={n === 0 && step.call !== 'cancel' ? undefined : 'second'}
            disabled={isBusy}
            onClick={() => take(step)}
          >
            {step.name}
          </button>
        ))}
      <a href={job.links.temporalUi} target="_blank" rel="noreferrer">
        Its run in the Temporal UI <small>(a new tab)</small>
      </a>
      {refusal && <ProblemBox problem={refusal} />}
    </div>
  )
}
