// Who did what, the newest first. The filter stands in the address.
import { useLocation } from 'preact-iso'
import { api, type Schemas } from '../api.js'
import { withQuery } from '../parts/links.js'
import { List } from '../parts/list.js'
import { useNames, usePeople } from '../parts/people-names.js'
import { Ago, Nothing, Pending } from '../parts/shown.js'
import { Title } from '../parts/title.js'
import { useReading } from '../reading.js'
import { isOfPlatform } from '../session.js'
import { auditKinds, auditName, momentOf, wordsOf } from '../words.js'

const pageSize = 50
/** How many changes of a manifest are shown. */
const mostChanges = 5
const outcomes = ['done', 'read', 'refused', 'withdrawn'] as const

/** The texts by which the list is filtered, by their names in the address and in the API. */
const fields = [
  ['Person', 'Person'],
  ['Client', 'Client'],
  ['Action', 'Operation'],
  ['Id', 'Id of a person, a job or anything else'],
] as const

export function AuditPage() {
  const { query, route } = useLocation()
  const { Tenant: tenant, After: after, Client, Person, Action, Id, From: from, To: to } = query
  const outcome = outcomes.find(each => each === query.Outcome)
  const kind = auditKinds.find(each => each === query.Kind)
  const filter = { Client, Person, Action, Id, Kind: kind, Outcome: outcome, From: from, To: to, Tenant: tenant }
  const addressOf = (changed: Record<string, string | undefined>) => withQuery('audit', { ...filter, ...changed })
  const [since, end] = [momentOf(from), momentOf(to, 1)]
  const { data, problem } = useReading(
    via => {
      const asked = {
        First: pageSize,
        ...(Client && { Client }),
        ...(Person && { Person }),
        ...(Action && { Action }),
        ...(Id && { Id }),
        ...(kind && { Kind: kind }),
        ...(outcome && { Outcome: outcome }),
        ...(since && { AtFrom: since.toISOString() }),
        // The last day counts too.
        ...(end && { AtTo: end.toISOString() }),
        ...(after && { After: after }),
      }
      return isOfPlatform
        ? api.GET('/admin/v1/audit', { params: { query: { ...asked, ...(tenant && { Tenant: tenant }) } }, ...via })
        : api.GET('/api/v1/audit', { params: { query: asked }, ...via })
    },
    [filter, after],
  )
  const people = usePeople(tenant)
  const nameOf = useNames(
    (data?.Edges ?? []).map(({ Node }) => Node.person),
    tenant,
  )
  return (
    <>
      <Title name={tenant ? `Audit of ${tenant}` : 'Audit'} />
      <form
        class="grid"
        onSubmit={event => {
          event.preventDefault()
          const given = new FormData(event.currentTarget)
          route(addressOf(Object.fromEntries([...given].map(([name, text]) => [name, String(text).trim()]))))
        }}
      >
        {fields.map(([name, label]) => (
          <label key={name}>
            {label}
            <input
              key={query[name]}
              name={name}
              list={name === 'Person' ? 'people' : undefined}
              defaultValue={query[name] ?? ''}
            />
          </label>
        ))}
        <datalist id="people">
          {people.map(({ id, name }) => (
            <option key={id} value={id} label={name} />
          ))}
        </datalist>
        <Choice label="About" name="Kind" all="Everything" choices={auditKinds} chosen={kind} nameOf={auditName} />
        <Choice label="Outcome" name="Outcome" all="All" choices={outcomes} chosen={outcome} />
        <label>
          Since
          <input key={from} name="From" type="date" defaultValue={from?.slice(0, 10) ?? ''} />
        </label>
        <label>
          Until
          <input key={to} name="To" type="date" defaultValue={to?.slice(0, 10) ?? ''} />
        </label>
        <button type="submit">Show</button>
      </form>
      <Pending data={data} problem={problem} />
      {data && data.Edges.length === 0 && <Nothing>Nothing was done that is like that.</Nothing>}
      {data && data.Edges.length > 0 && (
        <List
          page={data.PageInfo}
          counted={['One event', 'events']}
          columns={['What', 'About', 'Who', 'When']}
          ways={['Newest', 'Older']}
          addressOf={cursor => addressOf({ After: cursor })}
          isFirst={after === undefined}
        >
          {data.Edges.map(({ Node: event }) => (
            <EventRow key={event.position} event={event} nameOf={nameOf} filteredBy={addressOf} />
          ))}
        </List>
      )}
    </>
  )
}

interface ChoiceProps {
  label: string
  name: string
  /** What is shown for no choice, which finds everything. */
  all: string
  choices: readonly string[]
  chosen: string | undefined
  nameOf?(choice: string): string
}

const Choice = ({ label, name, all, choices, chosen, nameOf = String }: ChoiceProps) => (
  <label>
    {label}
    <select key={chosen} name={name}>
      <option value="">{all}</option>
      {choices.map(each => (
        <option key={each} value={each} selected={each === chosen}>
          {nameOf(each)}
        </option>
      ))}
    </select>
  </label>
)

interface RowProps {
  event: Schemas['AuditEvent']
  nameOf: ReturnType<typeof useNames>
  /** Returns the address of the list with another filter. */
  filteredBy(changed: Record<string, string>): string
}

function EventRow({ event, nameOf, filteredBy }: RowProps) {
  const { at: time, client, person, address, action, ids, outcome, members, changes } = event
  return (
    <tr>
      <td data-name="What">
        <a href={filteredBy({ Action: action })}>{wordsOf(action)}</a>
        {outcome !== 'done' && <span class={`status ${outcome === 'refused' ? 'failed' : ''}`}>{outcome}</span>}
        {changes?.slice(0, mostChanges).map(({ path, change }) => (
          <small key={path}>
            {path} {change}
          </small>
        ))}
        {changes && changes.length > mostChanges && <small>and {changes.length - mostChanges} changes more</small>}
        {!changes && members.length > 0 && <small>with {members.join(', ')}</small>}
      </td>
      <td data-name="About">
        {ids.slice(0, 3).map(id => (
          <div key={id}>
            <a href={filteredBy({ Id: id })}>
              <code>{id}</code>
            </a>
          </div>
        ))}
        {ids.length > 3 && <small>and {ids.length - 3} more</small>}
      </td>
      <td data-name="Who">
        {person ? (
          <>
            <a href={filteredBy({ Person: person })} title={person}>
              {nameOf(person) ?? person}
            </a>
            <small>
              by <a href={filteredBy({ Client: client })}>{client}</a>
            </small>
          </>
        ) : (
          <a href={filteredBy({ Client: client })}>{client}</a>
        )}
        {address && <small>{address}</small>}
      </td>
      <td data-name="When">
        <Ago time={time} />
      </td>
    </tr>
  )
}
