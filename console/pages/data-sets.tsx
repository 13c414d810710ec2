// The data sets of the tenant, and how fresh they are.
import { api, type DataSet, problemOf } from '../api.js'
import { at } from '../parts/links.js'
import { Table } from '../parts/list.js'
import { Ago, Nothing, Pending, Status } from '../parts/shown.js'
import { Title } from '../parts/title.js'
import { useLive } from '../reading.js'
import { duration } from '../words.js'

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
