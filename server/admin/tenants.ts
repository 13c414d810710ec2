import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import { applyManifest, planManifest, readManifest, type TenantManifest } from '../../db/admin/tenants.js'
import { type Fault, invalid, notFound } from '../../runtime/problem.js'
import { type Endpoint, endpoint, ok } from '../endpoint.js'
import { Change, Manifest } from './manifest.js'

const common = { tag: 'Administration', scopes: ['PlatformAdmin'], path: '/admin/v1/tenants/:tenantKey' } as const

/** Tenants, each described whole by its manifest. */
export const tenantRoutes = ({ db }: { db: Knex }): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'getTenant',
    summary: 'The manifest of a tenant as it is applied, without secrets',
    method: 'get',
    answers: { 200: Manifest },
    async handle({ params }) {
      const manifest = await readManifest(db, params.tenantKey ?? '')
      if (!manifest) throw notFound(`There is no tenant '${params.tenantKey}'.`)
      return ok(manifest)
    },
  }),

  endpoint({
    ...common,
    operationId: 'putTenant',
    summary: 'Make a tenant what its manifest says; with plan=true, only show what would change',
    method: 'put',
    query: Type.Object({ plan: Type.Optional(Type.Boolean({ description: 'Write nothing.' })) }),
    body: Manifest,
    answers: {
      200: Type.Object({
        applied: Type.Boolean(),
        changes: Type.Array(Change),
        secrets: Type.Record(Type.String(), Type.String(), {
          description: 'Secrets made now, by client id; shown once.',
        }),
      }),
    },
    async handle({ params, query, body }) {
      const manifest = complete(params.tenantKey ?? '', body)
      if (query.plan) return ok({ applied: false, changes: await planManifest(db, manifest), secrets: {} })
      return ok({ applied: true, ...(await applyManifest(db, manifest)) })
    },
  }),
]

/** The manifest with its defaults. @throws Problem 400 for a key that is not the path's, or a client listed twice. */
function complete(tenantKey: string, body: Static<typeof Manifest>): TenantManifest {
  const faults: Fault[] = []
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(tenantKey)) {
    const detail = 'A tenant key has 1 to 64 letters, digits, - and _, and begins with a letter or digit.'
    faults.push({ pointer: '/path/tenantKey', code: 'wrong-format', detail })
  }
  if (body.key !== undefined && body.key !== tenantKey) {
    faults.push({
      pointer: '/key',
      code: 'other-key',
      detail: `The manifest is of '${body.key}', the path of '${tenantKey}'.`,
    })
  }
  const ids = (body.clients ?? []).map(client => client.id)
  ids.forEach((id, n) => {
    if (ids.indexOf(id) === n) return
    faults.push({ pointer: `/clients/${n}/id`, code: 'duplicate-key', detail: `The client '${id}' is given twice.` })
  })
  if (faults.length > 0) throw invalid(faults)
  return {
    key: tenantKey,
    name: body.name ?? tenantKey,
    clients: (body.clients ?? []).map(client => ({
      ...client,
      name: client.name ?? client.id,
      permissions: client.permissions ?? [],
      disabled: client.disabled ?? false,
    })),
    limits: body.limits ?? {},
  }
}
