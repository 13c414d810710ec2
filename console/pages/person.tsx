// One person: values, places, forms, documents, and where data sets have rows of them.
import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { api, base, type Problem, problemOf } from '../api.js'
import { at, withQuery } from '../parts/links.js'
import { Table } from '../parts/list.js'
import { useNames } from '../parts/people-names.js'
import { save } from '../parts/save.js'
import { Facts, Nothing, Pending, ProblemBox } from '../parts/shown.js'
import { Title } from '../parts/title.js'
import { useMay } from '../permissions.js'
import { useReading } from '../reading.js'
import { session } from '../session.js'
import { moment, textOfValue, wordsOf } from '../words.js'

const pageSize = 100
/** How many events of the audit are shown. */
const shortList = 10

export function PersonPage() {
  const id = useRoute().params.person ?? ''
  const { data: person, problem } = useReading(
    via => api.GET('/api/v2/subject/{subjectId}', { params: { path: { subjectId: id } }, ...via }),
    [id],
  )
  const may = useMay()
  if (!person) return <Pending title="Person" data={person} problem={problem} />
  const values = person.CustomFieldValues.map(({ Field, Value }) => ({ name: Field.Name, text: textOfValue(Value) }))
  // The tab is not called by the name, which would stay in the history of the browser.
  return (
    <>
      <p class="back">
        <a href={at('people')}>People</a>
      </p>
      <Title name="Person">
        {values
          .slice(0, 2)
          .map(({ text }) => text)
          .join(' ') || 'Person'}{' '}
        {person.DeactivatedAt && <span class="status">Deactivated</span>}
      </Title>
      <Facts
        facts={[
          ...values.map(({ name, text }) => [name, text] as const),
          ['Changed', moment(person.UpdatedAt)],
          ['Deactivated', person.DeactivatedAt && moment(person.DeactivatedAt)],
          ['Id', <code key="id">{person.Id}</code>],
          ['External id', <code key="external">{person.ExternalId}</code>],
        ]}
      />
      <h2>Places</h2>
      {person.StructuralEntities.length === 0 ? (
        <Nothing>The person is at no place.</Nothing>
      ) : (
        <ul class="places">
          {person.StructuralEntities.map(({ Key, DisplayName, StructureType }) => (
            <li key={Key}>
              <a href={withQuery('people', { Place: Key })}>{DisplayName}</a> <small>{StructureType.Name}</small>
            </li>
          ))}
        </ul>
      )}
      <h2>Forms</h2>
      {session?.hasForms && may('ListPatientForms') ? (
        <Forms person={person.Id} />
      ) : (
        <Nothing>Your roles do not let you see forms.</Nothing>
      )}
      <h2>Documents</h2>
      {may('View:SubjectRecordItem') ? (
        <Documents person={person.Id} />
      ) : (
        <Nothing>Your roles do not let you see documents.</Nothing>
      )}
      {may('View:DataSet') && <DataSets person={person.Id} />}
      <h2>Who changed it, and who looked</h2>
      {may('View:Audit') ? <History person={person.Id} /> : <Nothing>Your roles do not let you see the audit.</Nothing>}
    </>
  )
}

function Forms({ person }: { person: string }) {
  const { data, problem } = useReading(
    via =>
      api.GET('/api/v2.0/tenant/{tenantKey}/subject/{subjectIdentifier}/forms', {
        params: {
          path: { tenantKey: session?.tenantKey ?? '', subjectIdentifier: person },
          query: { First: pageSize, OrderBy: 'ModifiedAt', OrderDirection: 'Descending', includeWithdrawn: true },
        },
        ...via,
      }),
    [person],
  )
  const nameOf = useNames((data?.edges ?? []).map(({ node }) => node.submittedByUserIdentifier ?? undefined))
  if (!data) return <Pending data={data} problem={problem} />
  if (data.edges.length === 0) return <Nothing>No form has been filled in.</Nothing>
  return (
    <Table columns={['Form', 'State', 'Changed', 'Submitted by']}>
      {data.edges.map(({ node: form }) => (
        <tr key={form.instanceGuid}>
          <td data-name="Form">
            {/* The page knows by itself who has signed in. */}
            <a href={base + form.viewLink} target="_blank" rel="noreferrer">
              {form.title}
            </a>
            <small>{form.classification}</small>
          </td>
          <td data-name="State">{form.isWithdrawn ? 'Withdrawn' : form.status}</td>
          <td data-name="Changed">{moment(`${form.lastModifiedDateTimeUtc}Z`)}</td>
          <td data-name="Submitted by">
            {nameOf(form.submittedByUserIdentifier ?? undefined) ?? form.submittedByUserIdentifier}
          </td>
        </tr>
      ))}
    </Table>
  )
}

function Documents({ person }: { person: string }) {
  const [refusal, setRefusal] = useState<Problem>()
  const { data, problem } = useReading(
    via =>
      api.GET('/api/v1/subjects/{subjectId}/file', {
        params: { path: { subjectId: person }, query: { First: pageSize } },
        ...via,
      }),
    [person],
  )
  if (!data) return <Pending data={data} problem={problem} />
  if (data.edges.length === 0) return <Nothing>The record has no documents.</Nothing>
  const store = async (fileId: string, name: string) => {
    const { data: file, error } = await api
      .GET('/api/v1/subjects/{subjectId}/file/{fileId}', {
        params: { path: { subjectId: person, fileId } },
        parseAs: 'blob',
      })
      .catch(error => ({ error, data: undefined }))
    setRefusal(file ? undefined : problemOf(error))
    if (file) save(file, name)
  }
  return (
    <>
      {refusal && <ProblemBox problem={refusal} />}
      <Table columns={['Document', 'Of', 'Size', 'Uploaded']}>
        {data.edges.map(({ node: { id, title, effectiveDate, fileName, size, uploadedAt } }) => (
          <tr key={id}>
            <td data-name="Document">
              <button type="button" class="link" onClick={() => store(id, fileName || `${title}.pdf`)}>
                {title}
              </button>
            </td>
            <td data-name="Of">{effectiveDate}</td>
            <td data-name="Size">{Math.ceil(size / 1024).toLocaleString('en')} kB</td>
            <td data-name="Uploaded">{moment(uploadedAt)}</td>
          </tr>
        ))}
      </Table>
    </>
  )
}

/** What was done with the person last, by the audit. */
function History({ person }: { person: string }) {
  const { data, problem } = useReading(
    via => api.GET('/api/v1/audit', { params: { query: { Id: person, First: shortList } }, ...via }),
    [person],
  )
  const nameOf = useNames((data?.Edges ?? []).map(({ Node }) => Node.person))
  if (!data) return <Pending data={data} problem={problem} />
  if (data.Edges.length === 0) return <Nothing>The audit has nothing about the person.</Nothing>
  return (
    <>
      <Table columns={['What', 'Who', 'When']}>
        {data.Edges.map(({ Node: { position, action, client, person: who, at: time } }) => (
          <tr key={position}>
            <td data-name="What">{wordsOf(action)}</td>
            <td data-name="Who">
              <span title={who}>{nameOf(who) ?? who ?? client}</span>
            </td>
            <td data-name="When">{moment(time)}</td>
          </tr>
        ))}
      </Table>
      {data.PageInfo.HasNextPage && <a href={withQuery('audit', { Id: person })}>All of it</a>}
    </>
  )
}

/** The data sets, each of which leads to its rows of the person. Left out where there are none. */
function DataSets({ person }: { person: string }) {
  const { data } = useReading(via => api.GET('/api/v1/dataSet', { ...via }), [])
  if (!data || data.length === 0) return null
  return (
    <>
      <h2>Rows of data sets</h2>
      <ul class="places">
        {data.map(({ Key }) => (
          <li key={Key}>
            <a href={withQuery(`data-sets/${encodeURIComponent(Key)}`, { Subject: person })}>{Key}</a>
          </li>
        ))}
      </ul>
    </>
  )
}
