// The chain of the audit proves itself, and finds what was changed in the database.
import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { eventOf, forgetEvents, type SealedRow, sealAll } from '../../db/audit/chain.js'
import { hashOf } from '../../db/audit/hash.js'
import type { Tenant } from '../support/api.js'
import { armature } from '../support/armature.js'
import { auditOf } from '../support/audit.js'
import { addPerson, openDatabase, subjectTenant } from '../support/factories.js'
import { patch, texts } from '../support/subjects.js'

const db = openDatabase()

/** Creates a tenant with at least ten events, all of them sealed. */
async function tenantWithEvents() {
  const tenant = await subjectTenant()
  const ids = await Promise.all(Array.from({ length: 8 }, (_, n) => addPerson(tenant, `${n}`)))
  const events = await auditOf(tenant)
  const { id: tenant_id } = await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')
  return { tenant, ids, events, at: (position: number) => db('audit_events').where({ tenant_id, position }), tenant_id }
}

const verify = (tenant: Tenant, ...more: string[]) =>
  armature(['audit', 'verify', '--tenant', tenant.tenantKey, ...more])

test('each event has the hash of the one before, which anybody can compute', async () => {
  const { tenant, events } = await tenantWithEvents()
  let previous = '0'.repeat(64)
  for (const [n, { hash: own, ...event }] of events.entries()) {
    expect(event.position).toBe(n + 1)
    expect(event.previousHash).toBe(previous)
    // Canonical JSON of an event without manifest is that of its sorted members.
    const sorted = JSON.stringify(event, event.changes ? undefined : Object.keys(event).sort())
    if (!event.changes) expect(own).toBe(hash('sha256', sorted, 'hex'))
    previous = own
  }
  const { code, stdout } = await verify(tenant)
  expect(code).toBe(0)
  expect(stdout).toContain(`${events.length} events, 1 to ${events.length}: none is damaged or missing. 0 wait`)
  expect(stdout).toContain(`Note down: ${events.length}:${previous}`)
})

test('armature audit list prints the latest events', async () => {
  const { tenant, ids, events } = await tenantWithEvents()
  const list = (...more: string[]) => armature(['audit', 'list', '--tenant', tenant.tenantKey, ...more])
  const { stdout } = await list('--last', '2')
  const [heading, latest, ...others] = stdout.trimEnd().split('\n')
  expect(heading).toMatch(/^at +client +person +action +outcome +ids$/)
  expect(latest).toMatch(new RegExp(`upsertSubject +done +(${ids.join('|')})$`))
  expect(others).toHaveLength(1)
  const inJson = await list('--last', '1000', '--output', 'json')
  expect(JSON.parse(inJson.stdout)).toEqual(events.toReversed())
  expect(await list('--last', 'few')).toMatchObject({ code: 2, stderr: expect.stringContaining('a number from 1 on') })
})

test('armature audit list prints more events than a page has', async () => {
  const { tenant, events, at, tenant_id } = await tenantWithEvents()
  const last = await at(events.length).first()
  const more = Array.from({ length: 1_100 }, (_, n) => ({ ...last, position: events.length + n + 1 }))
  await db.batchInsert('audit_events', more)
  await db('audit_chains')
    .where({ tenant_id })
    .update({ position: events.length + more.length })
  const { stdout } = await armature([
    'audit',
    'list',
    '--tenant',
    tenant.tenantKey,
    '--last',
    '1050',
    '--output',
    'json',
  ])
  const positions = JSON.parse(stdout).map(({ position }: { position: number }) => position)
  expect(positions).toEqual(
    more
      .slice(-1_050)
      .map(({ position }) => position)
      .reverse(),
  )
})

test.each(['Action=%C3%A9', 'Outcome=%C3%A9', 'Outcome=forgotten'])('a filter by %s is refused', async query => {
  const tenant = await subjectTenant()
  const [parameter] = query.split('=')
  expect(await tenant.get(`/api/v1/audit?${query}`)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: `/query/${parameter}` }] },
  })
})

test.each([
  ['changed', 'Damaged: the event 4 was changed.', async ({ at }: Tampered) => at(4).update({ client: 'somebody' })],
  [
    'removed',
    'Missing: the events 4 to 5.',
    async ({ at }: Tampered) => {
      await at(4).delete()
      await at(5).delete()
    },
  ],
  ['cut off', 'the last.', async ({ at, events }: Tampered) => at(events.length).delete()],
])('an event that was %s is found', async (_, said, tamper) => {
  const found = await tenantWithEvents()
  await tamper(found)
  const { code, stderr } = await verify(found.tenant)
  expect(code).toBe(1)
  expect(stderr).toContain(said)
})
type Tampered = Awaited<ReturnType<typeof tenantWithEvents>>

test('a chain that was written anew as a whole is found by the hash that was noted', async () => {
  const { tenant, tenant_id, events } = await tenantWithEvents()
  const noted = `5:${events[4]?.hash}`
  expect((await verify(tenant, '--noted', noted)).code).toBe(0)
  // Whoever may write the tables puts all events back, without the third, and lets them be sealed again.
  const rows = await db('audit_events').where({ tenant_id }).orderBy('position')
  for (const table of ['audit_events', 'audit_ids', 'audit_chains']) await db(table).where({ tenant_id }).delete()
  const kept = rows.filter(({ position }) => Number(position) !== 3)
  await db('audit_unsealed').insert(kept.map(({ position: _, previous_hash: __, hash: ___, ...row }) => row))
  expect((await verify(tenant)).code).toBe(0)
  const { code, stderr } = await verify(tenant, '--noted', noted)
  expect(code).toBe(1)
  expect(stderr).toContain('Written anew: the event 5')
})

test('what a refused request names, and is no key, keeps no event from the chain', async () => {
  const tenant = await subjectTenant()
  const reader = await tenant.client(['List:Group'])
  for (const key of ['x'.repeat(300), 'ada%20']) expect((await reader.delete(`/api/v1/group/${key}`)).status).toBe(403)
  const refused = async () => (await auditOf(tenant)).filter(({ outcome }) => outcome === 'refused')
  await expect.poll(async () => (await refused()).map(({ ids }) => ids.join()).sort()).toEqual(['', 'ada'])
  await sealAll(db)
})

test('a chain that was written anew is found although the noted event counts as deleted by the retention', async () => {
  const { tenant, tenant_id, events } = await tenantWithEvents()
  const noted = (position: number) => ['--noted', `${position}:${events[position - 1]?.hash}`]
  const chain = () => db('audit_chains').where({ tenant_id })
  await db('audit_events').where({ tenant_id }).where('position', '<=', 4).delete()
  await chain().update({ forgotten: 4 })
  expect(await verify(tenant, ...noted(4))).toMatchObject({ code: 0 })
  const early = await verify(tenant, ...noted(3))
  expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('Not proven: the event 3, which was noted') })

  let last = 'f'.repeat(64)
  for (const row of await db('audit_events').where({ tenant_id }).orderBy('position')) {
    const anew: SealedRow = { ...row, client: 'somebody', previous_hash: last }
    last = hashOf(eventOf(anew))
    await db('audit_events')
      .where({ tenant_id, position: row.position })
      .update({ client: anew.client, previous_hash: anew.previous_hash, hash: last })
  }
  await chain().update({ hash: last })
  expect((await verify(tenant)).code).toBe(0)
  const found = await verify(tenant, ...noted(4))
  expect(found).toMatchObject({ code: 1, stderr: expect.stringContaining('the event 5 does not follow') })
})

test('the end of a chain of which every event was deleted is proven by what was noted', async () => {
  const { tenant, tenant_id, events } = await tenantWithEvents()
  const end = `${events.length}:${events.at(-1)?.hash}`
  await db('audit_events').where({ tenant_id }).delete()
  await db('audit_chains').where({ tenant_id }).update({ forgotten: events.length })
  const { code, stdout } = await verify(tenant, '--noted', end)
  expect(code).toBe(0)
  expect(stdout).toContain(`Note down: ${end}`)
  const found = await verify(tenant, '--noted', `${events.length}:${'f'.repeat(64)}`)
  expect(found).toMatchObject({ code: 1, stderr: expect.stringContaining('ends with another hash') })
})

test('events are found by what they concern', async () => {
  const { tenant, ids, events } = await tenantWithEvents()
  const [id = ''] = ids
  await patch(tenant, id, texts({ givenName: 'Eve' }))
  expect((await auditOf(tenant, { Id: id })).map(({ action }) => action)).toEqual(['upsertSubject', 'patchSubject'])
  expect(await auditOf(tenant, { Id: 'nowhere' })).toEqual([])
  expect(
    await auditOf(tenant, { Action: 'patchSubject', Client: tenant.clientId, Kind: 'subject', Outcome: 'done' }),
  ).toHaveLength(1)
  expect(await auditOf(tenant, { Client: 'platform-admin', Action: 'patchSubject' })).toEqual([])
  const middle = events[4]?.at ?? ''
  const [before, after] = [await auditOf(tenant, { AtTo: middle }), await auditOf(tenant, { AtFrom: middle })]
  expect(before.every(({ at }) => at < middle) && after.every(({ at }) => at >= middle)).toBe(true)
  expect([before.length, after.length]).toEqual([before.length, events.length + 1 - before.length])
  const { status } = await tenant.get('/api/v1/audit?AtFrom=2027-01-01T00:00:00Z&AtTo=2026-01-01T00:00:00Z')
  expect(status).toBe(400)
})

test('pages follow one another without a gap', async () => {
  const { tenant, events } = await tenantWithEvents()
  const seen: number[] = []
  for (let After = ''; ; ) {
    const { body } = await tenant.get<{
      Edges: { Node: { position: number } }[]
      PageInfo: { HasNextPage: boolean; EndCursor: string }
    }>(`/api/v1/audit?First=3${After && `&After=${After}`}`)
    seen.push(...body.Edges.map(({ Node }) => Node.position))
    if (!body.PageInfo.HasNextPage) break
    After = body.PageInfo.EndCursor
  }
  expect(seen).toEqual(events.map(({ position }) => position).reverse())
})

test('what is older than the manifest says is deleted, and the rest is still proven', async () => {
  const { tenant, tenant_id, events, at } = await tenantWithEvents()
  await tenant.change({ limits: { auditRetentionDays: 40 } })
  // The oldest three were written 41 days ago.
  const rows = await db('audit_events').where({ tenant_id }).orderBy('position')
  for (const table of ['audit_events', 'audit_ids', 'audit_chains']) await db(table).where({ tenant_id }).delete()
  const old = new Date(Date.now() - 41 * 86_400_000)
  const again = rows.map(({ position, previous_hash: _, hash: __, ...row }) => ({
    ...row,
    ...(Number(position) <= 3 ? { at: old } : {}),
  }))
  const later = await db('audit_unsealed').where({ tenant_id })
  await db('audit_unsealed').where({ tenant_id }).delete()
  await db('audit_unsealed').insert([...again, ...later.map(({ id: _, ...row }) => row)])
  await sealAll(db)
  await forgetEvents(db)
  const left = await auditOf(tenant)
  expect(left[0]?.position).toBe(4)
  expect(left).toHaveLength(events.length + 1 - 3)
  expect(await db('audit_ids').where({ tenant_id }).where('position', '<=', 3)).toEqual([])
  const { code, stdout } = await verify(tenant)
  expect(code).toBe(0)
  expect(stdout).toContain('4 to ')
  await at(4).delete()
  expect((await verify(tenant)).stderr).toContain('Missing: the events 4 to 4.')
})
