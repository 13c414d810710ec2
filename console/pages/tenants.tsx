// The tenants of the installation, with their open and failed jobs.
import { useLocation } from 'preact-iso'
import { api } from '../api.js'
import { at, withQuery } from '../parts/links.js'
import { List } from '../parts/list.js'
import { Ago, Nothing, Pending } from '../parts/shown.js'
import { Title } from '../parts/title.js'
import { useLive } from '../reading.js'
import { count } from '../words.js'

const pageSize = 50

export function TenantsPage() {
  const { query, route } = useLocation()
  const { Search: search, After: after } = query
  const { data, problem } = useLive(
    via =>
      api.GET('/admin/v1/tenants', {
        params: {
          query: { First: pageSize, ...(search && { SearchTerm: search }), ...(after && { After: after }) },
        },
        ...via,
      }),
    [search, after],
  )
  return (
    <>
      <Title name="Tenants" />
      <form
        class="search"
        onSubmit={event => {
          event.preventDefault()
          route(withQuery('tenants', { Search: String(new FormData(event.currentTarget).get('search')) }))
        }}
      >
        <label>
          Words of the name or the key
          <input name="search" defaultValue={search ?? ''} />
        </label>
        <button type="submit">Search</button>
      </form>
      <Pending data={data} problem={problem} />
      {data && data.Edges.length === 0 && <Nothing>No tenant is called like that.</Nothing>}
      {data && data.Edges.length > 0 && (
        <List
          page={data.PageInfo}
          counted={['One tenant', 'tenants']}
          columns={['Tenant', 'Open jobs', 'Failed jobs', 'Manifest changed']}
          ways={['First', 'Next']}
          addressOf={cursor => withQuery('tenants', { Search: search, After: cursor })}
          isFirst={after === undefined}
        >
          {data.Edges.map(({ Node: tenant }) => (
            <tr key={tenant.key}>
              <td data-name="Tenant">
                <a href={at(`tenants/${tenant.key}`)}>{tenant.name}</a>
                {tenant.suspendedAt && <span class="status">Suspended</span>}
                <small>{tenant.key}</small>
              </td>
              <td data-name="Open jobs">
                <a href={withQuery('jobs', { Tenant: tenant.key })}>{count(tenant.openJobs)}</a>
              </td>
              <td data-name="Failed jobs">
                {tenant.failedJobs > 0 ? (
                  <a href={withQuery('jobs', { Tenant: tenant.key, Status: 'Failed' })}>{count(tenant.failedJobs)}</a>
                ) : (
                  '0'
                )}
              </td>
              <td data-name="Manifest changed">
                <Ago time={tenant.updatedAt} />
              </td>
            </tr>
          ))}
        </List>
      )}
    </>
  )
}
