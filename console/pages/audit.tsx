// Who did what, the newest first. The filter stands in the address.
import { useLocation } from 'preact-iso'
import { api, type Schemas } from '../api.js'
import { AuditFilter, outcomes } from '../parts/audit-filter.js'
import { withQuery } from '../parts/links.js'
import { List } from '../parts/list.js'
import { useNames, usePeople } from '../parts/people-names.js'
import { Ago, Nothing, Pending } from '../parts/shown.js'
import { Title } from '../parts/title.js'
import { useReading } from '../reading.js'
import { isOfPlatform } from '../session.js'
import { auditKinds, count, momentOf, wordsOf } from '../words.js'

const pageSize = 50
/** How many changes of a manifest are shown. */
const mostChanges = 5
/** How many ids of what an event is about are shown. */
const mostIds = 3

export function AuditPage() {
  const { query } = useLocation()
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
      <AuditFilter filter={filter} people={people} addressOf={addressOf} />
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

interface RowProps {
  event: Schemas['AuditEvent']
  nameOf: ReturnType<typeof useNames>
  /** Returns the address of the list with another filter. */
  filteredBy(changed: Record<string, string>): string
}

/** The end of an id that was made at random, which tells it from others; keys that somebody chose are whole. */
const shortOf = (id: string): string => (/^[0-9a-f-]{36}$/.test(id) ? `…${id.slice(-8)}` : id)

function EventRow({ event, nameOf, filteredBy }: RowProps) {
  const { at: time, client, person, address, action, ids, outcome, members, changes } = event
  return (
    <tr>
      <td data-name="What">
        <a href={filteredBy({ Action: action })}>{wordsOf(action)}</a>{' '}
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
        <span class="ids">
          {ids.slice(0, mostIds).map(id => (
            <a key={id} href={filteredBy({ Id: id })} title={id}>
              <code>{shortOf(id)}</code>
            </a>
          ))}
          {ids.length > mostIds && <small>and {count(ids.length - mostIds)} more</small>}
        </span>
      </td>
      <td data-name="Who">
        {person ? (
          <>
            <a href={filteredBy({ Person: person })} title={person}>
              {nameOf(person) ?? person}
            </a>
            <small>
              by <a href={filteredBy({ Client: client })}>{client}</a>
              {address && ` from ${address}`}
            </small>
          </>
        ) : (
          <>
            <a href={filteredBy({ Client: client })}>{client}</a>
            {address && <small>from {address}</small>}
          </>
        )}
      </td>
      <td data-name="When">
        <Ago time={time} />
      </td>
    </tr>
  )
}
