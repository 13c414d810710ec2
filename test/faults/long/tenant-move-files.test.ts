// A tenant with files in S3 moves between cells that have one bucket, and stays where they have not.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tenantIdOf } from '../../../db/admin/tenants.js'
import { newTenant } from '../../support/api.js'
import { startCells, type TwoCells } from '../../support/cells.js'
import { aPdf, aSubject } from '../../support/factories.js'
import { effectiveDate, file, megabyte, sha256, title } from '../../support/records.js'
import { type S3, startS3 } from '../../support/s3.js'
import { beginMove, endedMove, moved, moveNow, toB } from '../../support/tenant-moves.js'
import { until } from '../../support/until.js'

let s3: S3
let cells: TwoCells

beforeAll(async () => {
  s3 = await startS3()
  cells = await startCells(s3.env, { routers: 1 })
})
afterAll(async () => {
  await cells?.stop()
  await s3?.stop()
})

async function withDocument() {
  const { a, routerUrl: baseUrl } = cells
  const tenant = await newTenant(baseUrl)
  const subject = await aSubject(a.db, { ...tenant, baseUrl })
  const bytes = aPdf(2 * megabyte)
  const id = await subject.uploaded([title(), effectiveDate(), file(bytes)])
  return { tenant, subject, id, bytes, named: `records/${await tenantIdOf(a.db, tenant.tenantKey)}/` }
}

test('documents stay in the bucket that both cells have, and are read, written and removed after each move', async () => {
  // Its number in b is another one.
  await cells.b.db.raw('ALTER TABLE tenants AUTO_INCREMENT = 500')
  const { tenant, subject, id, bytes, named } = await withDocument()
  const isRead = async (document: string, content: Buffer) => {
    const { status, bytes } = await subject.download(document)
    expect([status, sha256(bytes)]).toEqual([200, sha256(content)])
  }
  const objects = async () => (await s3.objects()).filter(each => each.startsWith('records/')).sort()

  expect(await moved(cells.a, tenant, toB)).toMatchObject({ state: 'moved', run: { reason: null } })
  await isRead(id, bytes)
  expect(await objects()).toEqual([`${named}${id}`])
  expect(await moved(cells.a, tenant, { what: 'undo' })).toMatchObject({ state: 'here', run: { reason: null } })
  await isRead(id, bytes)

  expect(await moved(cells.a, tenant, toB)).toMatchObject({ state: 'moved' })
  const later = aPdf(megabyte)
  const second = await subject.uploaded([title(), effectiveDate(), file(later)])
  await isRead(second, later)
  await isRead(id, bytes)
  expect(await moved(cells.a, tenant, { what: 'forget' })).toMatchObject({ state: 'moved' })
  await isRead(id, bytes)
  const inB = `records/${await tenantIdOf(cells.b.db, tenant.tenantKey)}/${second}`
  expect(inB.startsWith(named)).toBe(false)
  expect(await objects()).toEqual([`${named}${id}`, inB].sort())
  expect((await tenant.delete(`${subject.path}/${id}`)).status).toBe(204)
  expect(await objects()).toEqual([inB])
}, 240_000)

test('a tenant whose files the other cell cannot read stays, and the reason names both buckets', async () => {
  const { tenant, subject, id, bytes } = await withDocument()
  const { db } = cells.b
  await db('worker_heartbeats').update({ bucket: 'http://elsewhere other-files' })
  const { state, run } = await moved(cells.a, tenant, toB)
  expect([state, run.status]).toEqual(['none', 'failed'])
  expect(run.reason).toContain('armature-files')
  expect(run.reason).toContain('other-files')
  expect(sha256((await subject.download(id)).bytes)).toBe(sha256(bytes))

  // A tenant without a file may begin to move. It is refused when it has one before the end.
  const other = await newTenant(cells.routerUrl)
  await beginMove(cells.a, other, { cell: 'b', waitSeconds: 5 })
  const late = await aSubject(cells.a.db, { ...other, baseUrl: cells.routerUrl })
  await until('the move has begun', async () => (await moveNow(cells.a, other))?.state === 'copying')
  const document = await late.uploaded([title(), effectiveDate(), file(bytes)])
  const end = await endedMove(cells.a, other)
  expect([end.state, end.run.status]).toEqual(['here', 'failed'])
  expect(end.run.reason).toContain('other-files')
  expect(sha256((await late.download(document)).bytes)).toBe(sha256(bytes))
}, 240_000)
