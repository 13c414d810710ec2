// One data set: how fresh it is, a refresh at once, and the rows of one subject.
import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { api, type Problem, problemOf } from '../api.js'
import { at } from '../parts/links.js'
import { Facts, Nothing, Pending, ProblemBox } from '../parts/shown.js'
import { Title } from '../parts/title.js'
import { useMay } from '../permissions.js'
import { useLive, useReading } from '../reading.js'
import { moment } from '../words.js'
import { isStale, LastRefresh, Rhythm } from './data-sets.js'

const pageSize = 50

export function DataSetPage() {
  const key = useRoute().params.dataSet ?? ''
  const { data, problem, again } = useLive(via => api.GET('/api/v1/dataSet', { ...via }), [key])
  const set = data?.find(({ Key }) => Key === key)
  const may = useMay()
  const [refusal, setRefusal] = useState<Problem>()
  if (!data) return <Pending title="Data set" data={data} problem={problem} />
  if (!set)
    return (
      <>
        <Title name="Data set" />
        <Nothing>The manifest of this tenant has no data set '{key}'.</Nothing>
      </>
    )
  const change = async (action: 'pause' | 'resume') => {
    const params = { path: { dataExtractKey: key } }
    const { error } = await api
      .POST(`/api/v1/dataSet/{dataExtractKey}/${action}`, { params })
      .catch(error => ({ error }))
    setRefusal(error === undefined ? undefined : problemOf(error))
    again()
  }
  const refresh = async () => {
    const params = { path: { dataExtractKey: key }, header: { Prefer: 'respond-async' } }
    const { error } = await api.POST('/api/v1/dataSet/{dataExtractKey}/refresh', { params }).catch(error => ({ error }))
    setRefusal(error === undefined ? undefined : problemOf(error))
    again()
  }
  const failure = set.LastOutcome?.Problem
  return (
    <>
      <p class="back">
        <a href={at('data-sets')}>Data sets</a>
      </p>
      <Title name={key}>
        {key} {isStale(set) && <span class="status failed">Stale</span>}
      </Title>
      {failure !== undefined && <ProblemBox problem={problemOf(failure)} />}
      {may('Edit:DataSet') && (
        <div class="actions">
          <button type="button" disabled={set.RefreshJobId !== undefined} onClick={refresh}>
            Refresh now
          </button>
          {set.RefreshSeconds !== undefined && (
            <button type="button" class="second" onClick={() => change(set.PausedAt ? 'resume' : 'pause')}>
              {set.PausedAt ? 'Resume its schedule' : 'Pause its schedule'}
            </button>
          )}
          {refusal && <ProblemBox problem={refusal} />}
        </div>
      )}
      <Facts
        facts={[
          ['Source', set.Source],
          ['Rows as of', set.AsOf === null ? 'never refreshed' : moment(set.AsOf)],
          ['Rhythm', <Rhythm key="rhythm" set={set} />],
          ['Last refresh', <LastRefresh key="last" set={set} />],
        ]}
      />
      <RowsOfSubject dataSet={key} />
    </>
  )
}

/** The rows of a subject. The address may have its id; what somebody types may be a number by which a person is known, and does not stand there. */
function RowsOfSubject({ dataSet }: { dataSet: string }) {
  const { query, route } = useLocation()
  const [subject, setSubject] = useState(query.Subject)
  return (
    <section>
      <h2>Rows of one person</h2>
      <form
        class="search"
        onSubmit={event => {
          event.preventDefault()
          setSubject(String(new FormData(event.currentTarget).get('subject')))
          route(at(`data-sets/${encodeURIComponent(dataSet)}`), true)
        }}
      >
        <label>
          Id, external id, or how the provider names the person
          <input name="subject" required defaultValue={subject ?? ''} />
        </label>
        <button type="submit">Show</button>
      </form>
      {subject && <Rows dataSet={dataSet} subject={subject} />}
    </section>
  )
}

function Rows({ dataSet, subject }: { dataSet: string; subject: string }) {
  const { data, problem } = useReading(
    () =>
      api.GET('/api/v1/dataSet/{dataExtractKey}/rows', {
        params: { path: { dataExtractKey: dataSet }, query: { SubjectIdentifier: subject, First: pageSize } },
      }),
    [dataSet, subject],
  )
  if (!data) return <Pending data={data} problem={problem} />
  if (data.Edges.length === 0) return <Nothing>The data set has no rows of this person.</Nothing>
  const keys = [...new Set(data.Edges.flatMap(({ Node }) => Node.DataPointItems.map(({ Key }) => Key)))]
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by the keyboard
    <section class="scrolls" aria-label="Rows" tabIndex={0}>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Row</th>
            {keys.map(key => (
              <th key={key} scope="col">
                {key}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.Edges.map(({ Node: row }) => (
            <tr key={row.Id}>
              <td data-name="Row">{row.Id}</td>
              {keys.map(key => (
                <td key={key} data-name={key}>
                  {shown(row.DataPointItems.find(item => item.Key === key)?.Value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {data.PageInfo.HasNextPage && <p>The first {pageSize} rows are shown.</p>}
    </section>
  )
}

/** Writes a value as the provider wrote it. Several are separated by commas. */
function shown(given: unknown): string {
  if (Array.isArray(given)) return given.map(shown).join(', ')
  const { Value: value = given } = Object(given)
  return value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
}
