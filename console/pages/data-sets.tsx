// The data sets of the tenant and the exports of its forms, and how fresh they are.
import { useState } from 'preact/hooks'
import { api, type DataSet, type Problem, problemOf, type Schemas } from '../api.js'
import { at } from '../parts/links.js'
import { Table } from '../parts/list.js'
import { Ago, Nothing, Pending, ProblemBox, Status } from '../parts/shown.js'
import { Title } from '../parts/title.js'
import { useMay } from '../permissions.js'
import { useLive } from '../reading.js'
import { session } from '../session.js'
import { duration } from '../words.js'

type FormExport = Schemas['FormExport']

/** Tells whether the rows are older than the rhythm of the data set allows: more than two rounds. */
export const isStale = ({ AsOf: asOf, RefreshSeconds: seconds, PausedAt: pausedAt }: DataSet): boolean =>
  asOf !== null && seconds !== undefined && !pausedAt && Date.now() - Date.parse(asOf) > 2_000 * seconds

export function DataSetsPage() {
  const { data, problem } = useLive(via => api.GET('/api/v1/dataSet', { ...via }), [])
  return (
    <>
      <Title name="Data sets" />
      <Pending data={data} problem={problem} />
      {data?.length === 0 && <Nothing>The manifest of this tenant has no data sets.</Nothing>}
      {data && data.length > 0 && (
        <Table columns={['Data set', 'Rows as of', 'Rhythm', 'Last refresh']}>
          {data.map(set => (
            <tr key={set.Key}>
              <td data-name="Data set">
                <a href={at(`data-sets/${encodeURIComponent(set.Key)}`)}>{set.Key}</a>
                <small>from {set.Source}</small>
              </td>
              <td data-name="Rows as of">
                {set.AsOf === null ? 'never refreshed' : <Ago time={set.AsOf} />}
                {isStale(set) && <span class="status failed">Stale</span>}
              </td>
              <td data-name="Rhythm">
                <Rhythm set={set} />
              </td>
              <td data-name="Last refresh">
                <LastRefresh set={set} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      {session?.hasForms && <Exports />}
    </>
  )
}

/** Shows the scheduled exports of forms with a button to pause each. Shows nothing if the manifest has none. */
function Exports() {
  const { data, problem, again } = useLive(via => api.GET('/api/v1/formExport', { ...via }), [])
  const mayChange = useMay()('Edit:FormExport')
  const [refusal, setRefusal] = useState<Problem>()
  if (!data) return <Pending data={data} problem={problem} />
  if (data.length === 0) return null
  const change = async ({ Key: exportKey, PausedAt: pausedAt }: FormExport) => {
    const action = pausedAt ? 'resume' : 'pause'
    const { error } = await api
      .POST(`/api/v1/formExport/{exportKey}/${action}`, { params: { path: { exportKey } } })
      .catch(error => ({ error }))
    setRefusal(error === undefined ? undefined : problemOf(error))
    again()
  }
  return (
    <section>
      <h2>Exports of forms</h2>
      {refusal && <ProblemBox problem={refusal} />}
      <Table columns={['Export', 'As of', 'Rhythm', 'Newest', ...(mayChange ? ['Change'] : [])]}>
        {data.map(each => (
          <tr key={each.Key}>
            <td data-name="Export">
              {each.Key}
              <small>
                {each.Mode}, to the {each.Destination}
              </small>
            </td>
            <td data-name="As of">{each.Instant === null ? 'none yet' : <Ago time={each.Instant} />}</td>
            <td data-name="Rhythm">
              {each.EverySeconds === undefined
                ? `daily at ${each.DailyAt}, ${each.TimeZone}`
                : `every ${duration(each.EverySeconds * 1_000)}`}
              {each.PausedAt && (
                <small>
                  paused <Ago time={each.PausedAt} />
                </small>
              )}
            </td>
            <td data-name="Newest">
              <NewestExport job={each.LastJob} />
            </td>
            {mayChange && (
              <td data-name="Change">
                <button
                  type="button"
                  class="second"
                  aria-label={`${each.PausedAt ? 'Resume' : 'Pause'} ${each.Key}`}
                  onClick={() => change(each)}
                >
                  {each.PausedAt ? 'Resume' : 'Pause'}
                </button>
              </td>
            )}
          </tr>
        ))}
      </Table>
    </section>
  )
}

/** Shows how the newest export has ended, or that it runs. */
function NewestExport({ job }: { job: FormExport['LastJob'] }) {
  if (!job) return <>none yet</>
  return (
    <>
      <a href={at(`jobs/${job.JobId}`)}>
        <Status status={job.Status} />
      </a>{' '}
      {job.FinishedAt && <Ago time={job.FinishedAt} />}
      {job.Problem !== undefined && <small>{problemOf(job.Problem).title}</small>}
    </>
  )
}

/** How often a data set is refreshed. */
export const Rhythm = ({ set: { RefreshSeconds: seconds, PausedAt: pausedAt } }: { set: DataSet }) => (
  <>
    {seconds === undefined ? 'when asked' : `every ${duration(seconds * 1_000)}`}
    {pausedAt && (
      <small>
        paused <Ago time={pausedAt} />
      </small>
    )}
  </>
)

/** The refresh under way, or else how the last one ended. */
export function LastRefresh({ set: { RefreshJobId: running, LastOutcome: last } }: { set: DataSet }) {
  if (running)
    return (
      <a href={at(`jobs/${running}`)}>
        <Status status="Running" />
      </a>
    )
  if (!last) return <>none yet</>
  return (
    <>
      <a href={at(`jobs/${last.JobId}`)}>
        <Status status={last.Status} />
      </a>{' '}
      <Ago time={last.FinishedAt} />
      {last.Problem !== undefined && <small>{problemOf(last.Problem).title}</small>}
    </>
  )
}
