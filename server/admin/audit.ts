// Endpoints that list the audit: who did what in a tenant, and in the installation.
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { actionOutcomes, platformChain } from '../../db/audit/action.js'
import { chainEnd, eventOf, type SealedRow, sealForReader } from '../../db/audit/chain.js'
import { type EventFilter, eachEvent, eventPage, mostCounted } from '../../db/audit/events.js'
import type { TenantId } from '../../db/connect.js'
import { invalid } from '../../runtime/problems/problem.js'
import { bufferLines } from '../../runtime/rows/buffered-lines.js'
import { type Answer, type Endpoint, endpoint, ok, type Request } from '../endpoint.js'
import { inQuery, listing, pageOf, pageSchema, pagingQuery } from '../paging.js'
import { auditKinds } from '../tags.js'
import { moment, readRange } from '../time-range.js'
import { Change } from './manifest/manifest.js'

const ndjson = 'application/x-ndjson'
const orders = { Position: 'position' }

const AuditEvent = Type.Object(
  {
    position: Type.Integer({ description: 'Place in the chain, from 1, without a gap.' }),
    at: Type.String({ format: 'date-time' }),
    client: Type.String({
      description: '`schedule` for what a schedule began, `anonymous` for a page without sign-in.',
    }),
    person: Type.Optional(Type.String({ description: "The token's `sub`, if the client acts for somebody." })),
    address: Type.Optional(Type.String({ description: 'The address that the request came from.' })),
    action: Type.String({ description: 'The operation, by its operationId.' }),
    kind: Type.String({ description: 'What the operation is about.' }),
    ids: Type.Array(Type.String(), {
      description: 'What the path names, what was changed, and the job that goes on with it. At most 1,000.',
    }),
    outcome: Type.String({
      'x-extensible-enum': [...actionOutcomes],
      description:
        'read: people were shown. refused: a permission was missing. withdrawn: it was accepted, and taken back as a whole because its work could not begin.',
    }),
    traceId: Type.String(),
    members: Type.Array(Type.String(), { description: 'Names of the members that were sent, without their values.' }),
    changes: Type.Optional(Type.Array(Change, { description: 'Of a manifest: what has changed.' })),
    entries: Type.Optional(Type.Integer({ description: 'How many entries a list has shown.' })),
    tenant: Type.Optional(Type.String({ description: 'Of a tenant that was deleted or imported: its key.' })),
    deleted: Type.Optional(
      Type.Record(Type.String(), Type.Integer(), { description: 'Of a tenant: how many rows of each table.' }),
    ),
    previousHash: Type.String({ description: 'The hash of the event before, or 64 zeros.' }),
    hash: Type.String({ description: 'SHA-256 of the other members, as JSON in its canonical form (RFC 8785).' }),
  },
  { $id: 'AuditEvent' },
)

const Chain = Type.Object(
  {
    Position: Type.Integer({ description: 'Of the last event.' }),
    Hash: Type.String({
      description: 'Of the last event. Keep it elsewhere, and later events can be proven to follow it.',
    }),
    Forgotten: Type.Integer({ description: 'The last position that retention has deleted, or 0.' }),
    Unsealed: Type.Integer({ description: 'Events that were committed and have no place in the chain yet.' }),
  },
  { $id: 'AuditChain' },
)

const Text = Type.Optional(Type.String({ maxLength: 255 }))
const query = pagingQuery(orders, {
  AtFrom: moment('Inclusive.'),
  AtTo: moment('Exclusive.'),
  Client: Text,
  Person: Text,
  // Letters that the column, which is ASCII, can be compared with.
  Action: Type.Optional(Type.String({ pattern: '^[!-~]{1,255}$', description: 'An operationId.' })),
  Kind: Type.Optional(Type.Enum(auditKinds)),
  Id: Type.Optional(Type.String({ maxLength: 255, description: 'An id that was changed or read, or of a job.' })),
  Outcome: Type.Optional(Type.Enum([...actionOutcomes])),
})
type Query = Static<typeof query>

const present = ({ hash, ...row }: SealedRow) => ({ ...eventOf(row), hash })

/** @throws Problem 400 for times that are in the wrong order. */
function readFilter(query: Query): EventFilter {
  const { from, to, faults } = readRange(query, 'At', inQuery)
  if (faults.length > 0) throw invalid(faults)
  const { Client: client, Person: person, Action: action, Kind: kind, Id: id, Outcome: outcome } = query
  return { from, to, client, person, action, kind, id, outcome }
}

const about = `Lists events, the newest first: who did what, when, from where, with which ids, and the names of what was sent, without values. TotalCount stops at ${mostCounted.toLocaleString('en')}. With \`Accept: ${ndjson}\` all events that the filter finds are sent, a line each, from After on and whatever First says. Each event has the hash of the one before, so that whoever recomputes them notices what was changed or removed.`

/** Lists the audit, for a tenant and for the platform. */
export function auditRoutes({ db }: { db: Knex }): Endpoint[] {
  const list = async (
    tenant: TenantId,
    { query, accepts }: Pick<Request<Query, unknown>, 'query' | 'accepts'>,
  ): Promise<Answer> => {
    const filter = readFilter(query)
    const asked = listing(query, orders, ['audit', tenant, filter], { descending: true })
    await sealForReader(db, tenant)
    if (accepts(['application/json', ndjson]) === ndjson) {
      const lines = linesOf(eachEvent(db, tenant, filter, asked.request))
      return { status: 200, compressible: bufferLines(lines), headers: { 'Content-Type': ndjson } }
    }
    const { position, hash, forgotten, unsealed } = await chainEnd(db, tenant)
    const members = { Chain: { Position: position, Hash: hash, Forgotten: forgotten, Unsealed: unsealed } }
    const page = await eventPage(db, tenant, filter, asked.request)
    return ok(await pageOf(page, asked, 'position', present, { members }))
  }
  const answers = { 200: pageSchema(AuditEvent, { Chain }) }
  return [
    endpoint({
      tag: 'Audit',
      scopes: ['FrameApi', 'FormsApi'],
      operationId: 'listAudit',
      summary: 'Events of the audit: who did what in the tenant, in a chain of hashes',
      description: about,
      method: 'get',
      path: '/api/v1/audit',
      permission: 'View:Audit',
      query,
      answers,
      lines: AuditEvent,
      handle: request => list(request.caller.tenantId, request),
    }),
    endpoint({
      tag: 'Administration',
      guide: 'privacy',
      scopes: ['PlatformAdmin'],
      operationId: 'listAuditOfTenant',
      summary: 'Events of the audit of a tenant, or of the installation as a whole',
      description: `${about} Without Tenant, it is what belongs to no tenant, such as signing keys.`,
      method: 'get',
      path: '/admin/v1/audit',
      permission: 'View:PlatformAudit',
      query: Type.Object({
        ...query.properties,
        Tenant: Type.Optional(Type.String({ description: 'Its key.' })),
      }),
      answers,
      lines: AuditEvent,
      problems: ['not-found'],
      handle: async request => {
        const { Tenant } = request.query
        return list(Tenant === undefined ? platformChain : await tenantIdOf(db, Tenant), request)
      },
    }),
  ]
}

async function* linesOf(events: AsyncIterable<SealedRow>): AsyncGenerator<string> {
  for await (const event of events) yield `${JSON.stringify(present(event))}\n`
}
