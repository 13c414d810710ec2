// One tenant, for whoever looks after all of them: its clients, which get new secrets, are shut out and let in again.
import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { api, type Problem, problemOf, required, type Schemas } from '../api.js'
import { Accounts } from '../parts/accounts.js'
import { at, withQuery } from '../parts/links.js'
import { Table } from '../parts/list.js'
import { Ago, Facts, Nothing, Pending, ProblemBox } from '../parts/shown.js'
import { TenantLife } from '../parts/tenant-life.js'
import { Title } from '../parts/title.js'
import { useReading } from '../reading.js'
import { count } from '../words.js'

type Client = Schemas['ClientManifest']
const scopes: readonly Client['scopes'][number][] = [
  'FrameApi',
  'FormsApi',
  'GlueRuntimeApi',
  'FrameGlueDataProviderApi',
  'PlatformAdmin',
]
/** Bytes of a secret that is made here. */
const secretBytes = 32
/** How long a secret that was replaced works on, in ms. */
const changeOverMs = 24 * 3_600_000

export function TenantPage() {
  const tenantKey = useRoute().params.tenant ?? ''
  const path = { tenantKey }
  const {
    data: manifest,
    problem,
    again,
  } = useReading(via => api.GET('/admin/v1/tenants/{tenantKey}', { params: { path }, ...via }), [tenantKey])
  const [refusal, setRefusal] = useState<Problem>()
  const [secret, setSecret] = useState<{ id: string; text: string }>()
  const [isBusy, setBusy] = useState(false)
  const [isDeleted, setDeleted] = useState(false)
  if (isDeleted)
    return (
      <>
        <p class="back">
          <a href={at('tenants')}>Tenants</a>
        </p>
        <Title name={manifest?.name ?? tenantKey} />
        <section class="waiting" role="status">
          <h2>It is being deleted</h2>
          <p>
            <a href={withQuery('jobs', { Kind: 'tenantDeletion' })}>Its job</a> says how far that is. Nobody finds the
            tenant any more.
          </p>
        </section>
      </>
    )
  if (!manifest) return <Pending title="Tenant" data={manifest} problem={problem} />
  const clients = manifest.clients ?? []

  /**
   * Writes the clients as `change` makes them, after showing what that changes. It is refused if somebody else has changed the manifest
   * meanwhile.
   */
  const write = async (change: (clients: Client[]) => Client[]) => {
    setSecret(undefined)
    const put = (body: typeof manifest, plan: boolean, etag: string) =>
      api.PUT('/admin/v1/tenants/{tenantKey}', {
        params: { path, query: { plan }, header: { 'If-Match': etag } },
        body,
      })
    const made = async () => {
      const read = await api.GET('/admin/v1/tenants/{tenantKey}', { params: { path } })
      const before = required(read)
      const body = { ...before, clients: change(before.clients ?? []) }
      const etag = read.response.headers.get('etag') ?? ''
      const planned = required(await put(body, true, etag))
      const changes = planned.changes.map(({ path, change }) => `${path} ${change}`).join('\n')
      if (!confirm(`Change the tenant ${tenantKey}?\n\n${changes}`)) return undefined
      return required(await put(body, false, etag)).secrets
    }
    setBusy(true)
    const secrets = await made().catch((error: unknown) => {
      setRefusal(problemOf(error))
      return undefined
    })
    setBusy(false)
    if (!secrets) return undefined
    setRefusal(undefined)
    again()
    return secrets
  }
  const changeOne = (id: string, changed: Partial<Client>) =>
    write(all => all.map(client => (client.id === id ? { ...client, ...changed } : client)))
  const endOldSecret = (id: string) =>
    write(all =>
      all.map(({ oldSecretUntil, ...client }) =>
        client.id === id || !oldSecretUntil ? client : { ...client, oldSecretUntil },
      ),
    )
  const add = async (client: Client) => {
    const text = (await write(all => [...all, client]))?.[client.id]
    if (text) setSecret({ id: client.id, text })
  }
  const renew = async (id: string) => {
    const text = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(secretBytes))))
    const oldSecretUntil = new Date(Date.now() + changeOverMs).toISOString()
    if (await changeOne(id, { secret: text, oldSecretUntil })) setSecret({ id, text })
  }
  return (
    <>
      <p class="back">
        <a href={at('tenants')}>Tenants</a>
      </p>
      <Title name={manifest.name ?? tenantKey} />
      <Facts
        facts={[
          ['Key', tenantKey],
          [
            'Jobs',
            <a key="jobs" href={withQuery('jobs', { Tenant: tenantKey })}>
              its jobs
            </a>,
          ],
          [
            'Audit',
            <a key="audit" href={withQuery('audit', { Tenant: tenantKey })}>
              what was done
            </a>,
          ],
          ['Clients', count(clients.length)],
          ['Users of the portal and of groups', count(manifest.users?.length ?? 0)],
        ]}
      />
      <TenantLife tenantKey={tenantKey} deleted={() => setDeleted(true)} />
      {refusal && <ProblemBox problem={refusal} />}
      {secret && (
        <section class="waiting" role="status">
          <h2>The secret of {secret.id}</h2>
          <p>
            <code>{secret.text}</code>
          </p>
          <p>
            It is shown only now. Give it to whoever runs the client, in a way that nobody else reads. A secret that it
            replaces works for 24 hours more, unless you end it below.
          </p>
        </section>
      )}
      <h2>Accounts</h2>
      <Accounts tenantKey={tenantKey} />
      <h2>Clients</h2>
      {clients.length === 0 ? (
        <Nothing>The tenant has no clients, so nobody can use it.</Nothing>
      ) : (
        <Table columns={['Client', 'Scopes', 'Permissions', 'Change']}>
          {clients.map(({ id, name, scopes, permissions = [], disabled, oldSecretUntil }) => (
            <tr key={id}>
              <td data-name="Client">
                {id} {disabled && <span class="status">Disabled</span>}
                {name && <small>{name}</small>}
                {oldSecretUntil && (
                  <small>
                    Its old secret ends <Ago time={oldSecretUntil} />
                  </small>
                )}
              </td>
              <td data-name="Scopes">{scopes.join(', ')}</td>
              <td data-name="Permissions">{permissions.length === 0 ? 'none' : permissions.join(', ')}</td>
              <td data-name="Change">
                <div class="step">
                  <button
                    type="button"
                    class="second"
                    disabled={isBusy}
                    aria-label={`New secret for ${id}`}
                    onClick={() => renew(id)}
                  >
                    New secret
                  </button>
                  <button
                    type="button"
                    class="second"
                    disabled={isBusy}
                    aria-label={`${disabled ? 'Enable' : 'Disable'} ${id}`}
                    onClick={() => changeOne(id, { disabled: !disabled })}
                  >
                    {disabled ? 'Enable' : 'Disable'}
                  </button>
                  {oldSecretUntil && (
                    <button
                      type="button"
                      class="second"
                      disabled={isBusy}
                      aria-label={`End the old secret of ${id}`}
                      onClick={() => endOldSecret(id)}
                    >
                      End the old secret
                    </button>
                  )}
                </div>
              </td>
            </tr>
          ))}
        </Table>
      )}
      <AddClient isBusy={isBusy} add={add} />
    </>
  )
}

function AddClient({ isBusy, add }: { isBusy: boolean; add(client: Client): Promise<void> }) {
  return (
    <details>
      <summary>Add a client</summary>
      <form
        class="add"
        onSubmit={async event => {
          event.preventDefault()
          const form = event.currentTarget
          const given = new FormData(form)
          await add({
            id: String(given.get('id')),
            scopes: scopes.filter(scope => given.getAll('scope').includes(scope)),
            permissions: String(given.get('permissions'))
              .split(/[\s,]+/)
              .filter(Boolean),
          })
        }}
      >
        <label>
          Id, unique in the installation
          <input name="id" required pattern="[!-~]+" autocomplete="off" />
        </label>
        <fieldset>
          <legend>Scopes</legend>
          {scopes.map((scope, n) => (
            <label key={scope}>
              <input type="checkbox" name="scope" value={scope} defaultChecked={n === 0} /> {scope}
            </label>
          ))}
        </fieldset>
        <label>
          Permissions, such as View:Job, with blanks between them; * for all
          <textarea name="permissions" rows={3} />
        </label>
        <button type="submit" disabled={isBusy}>
          Add it
        </button>
      </form>
    </details>
  )
}
