// Who did what, the newest first. The filter stands in the address.
import { useLocation } from 'preact-iso'
import { api, type Schemas } from '../api.js'
import { listAccounts, platform } from '../parts/accounts.js'
import { withQuery } from '../parts/links.js'
import { List } from '../parts/list.js'
import { Ago, Nothing, Pending } from '../parts/shown.js'
import { Title } from '../parts/title.js'
import { useReading } from '../reading.js'
import { isOfPlatform } from '../session.js'
import { wordsOf } from '../words.js'

const pageSize = 50
/** How many changes of a manifest are shown. */
const mostChanges = 5
const outcomes = ['done', 'read', 'refused', 'withdrawn'] as const

/** The texts by which the list is filtered, by their names in the address and in the API. */
const fields = [
  ['Client', 'Client'],
  ['Action', 'Operation'],
  ['Id', 'Id of a person, a job or anything else'],
] as const

export function AuditPage() {
  const { query, route } = useLocation()
  const { Tenant: tenant, After: after, Client, Action, Id, From: from } = query
  const outcome = outcomes.find(each => each === query.Outcome)
  const filter = { Client, Action, Id, Outcome: outcome, From: from, Tenant: tenant }
  const addressOf = (changed: Record<string, string | undefined>) => withQuery('audit', { ...filter, ...changed })
  const { data, problem } = useReading(
    via => {
      const asked = {
        First: pageSize,
        ...(Client && { Client }),
        ...(Action && { Action }),
        ...(Id && { Id }),
        ...(outcome && { Outcome: outcome }),
        ...(from && !Number.isNaN(Date.parse(from)) && { AtFrom: new Date(from).toISOString() }),
        ...(after && { After: after }),
      }
      return isOfPlatform
        ? api.GET('/admin/v1/audit', { params: { query: { ...asked, ...(tenant && { Tenant: tenant }) } }, ...via })
        : api.GET('/api/v1/audit', { params: { query: asked }, ...via })
    },
    [filter, after],
  )
  const names = useNames(tenant ?? '')
  return (
    <>
      <Title name={tenant ? `Audit of ${tenant}` : 'Audit'} />
      <form
        class="filters"
        onSubmit={event => {
          event.preventDefault()
          const given = new FormData(event.currentTarget)
          route(addressOf(Object.fromEntries([...given].map(([name, text]) => [name, String(text).trim()]))))
        }}
      >
        {fields.map(([name, label]) => (
          <label key={name}>
            {label}
            <input key={query[name]} name={name} defaultValue={query[name] ?? ''} />
          </label>
        ))}
        <label>
          Since
          <input name="From" type="date" defaultValue={from?.slice(0, 10) ?? ''} />
        </label>
        <button type="submit">Show</button>
        <nav aria-label="Outcome">
          {[undefined, ...outcomes].map(each => (
            <a
              key={each}
              class="choice"
              href={addressOf({ Outcome: each })}
              aria-current={outcome === each ? 'true' : undefined}
            >
              {each ?? 'All'}
            </a>
          ))}
        </nav>
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
            <EventRow key={event.position} event={event} names={names} filteredBy={addressOf} />
          ))}
        </List>
      )}
    </>
  )
}

/** Reads the names of the people with an account, by id. Whoever may not list accounts sees ids. */
function useNames(tenantKey: string): ReadonlyMap<string, string> {
  // Somebody of the platform may have done it too, whose accounts only the platform lists.
  const keys = isOfPlatform && tenantKey ? [tenantKey, platform] : [tenantKey || platform]
  const { data: accounts = [] } = useReading(async via => {
    const lists = await Promise.all(keys.map(key => listAccounts(key, via)))
    return { data: lists.flatMap(({ data }) => data?.Edges ?? []) }
  }, keys)
  return new Map(accounts.map(({ Node: { id, name } }) => [id, name]))
}

interface RowProps {
  event: Schemas['AuditEvent']
  names: ReadonlyMap<string, string>
  /** Returns the address of the list with another filter. */
  filteredBy(changed: Record<string, string>): string
}

function EventRow({ event, names, filteredBy }: RowProps) {
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
        <a href={filteredBy({ Client: client })}>{client}</a>
        {person && person !== client && <small title={person}>for {names.get(person) ?? person}</small>}
        {address && <small>{address}</small>}
      </td>
      <td data-name="When">
        <Ago time={time} />
      </td>
    </tr>
  )
}
