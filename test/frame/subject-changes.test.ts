// The feed of changes of subjects.
import { beforeAll, describe, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { changesKeptMs, feedPage, forgetChanges } from '../../db/feeds.js'
import { noteChanges } from '../../db/frame/fields/subject-changes.js'
import { newId } from '../../runtime/ids.js'
import type { Reply, Tenant } from '../support/api.js'
import { addPerson, openDatabase, plantWards, subjectTenant } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { invalid, list, type Page, refusal } from '../support/frame.js'
import { randomOf } from '../support/random.js'
import { bulkPath, patch, person, subjectsPath, texts, type WrittenSubject } from '../support/subjects.js'

interface Change {
  SubjectId: string
  Change: string
  ChangedAt: string
}

const path = `${subjectsPath}/changes`
const db = openDatabase()

async function feed(tenant: Tenant, query: Record<string, string> = {}): Promise<Page<Change>> {
  const { status, body } = await tenant.get<Page<Change>>(list(path, query))
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body
}

/** Reads on from a cursor until there is no more. */
async function readOn(tenant: Tenant, from: string, First = '1000'): Promise<{ changes: Change[]; cursor: string }> {
  const changes: Change[] = []
  for (let cursor = from; ; ) {
    const { Edges, PageInfo } = await feed(tenant, { First, ...(cursor && { After: cursor }) })
    changes.push(...Edges.map(({ Node }) => Node))
    cursor = PageInfo.EndCursor
    if (!PageInfo.HasNextPage) return { changes, cursor }
  }
}

describe('each write', () => {
  let tenant: Tenant
  let cursor: string
  let id: string
  beforeAll(async () => {
    tenant = await subjectTenant()
    await plantWards(tenant, 'a', 'b', 'c')
    id = await addPerson(tenant, 'ada', {}, ['a'])
    cursor = (await feed(tenant, { FromNow: 'true' })).PageInfo.EndCursor
  })

  /** The changes since the last call, of the subject `ada`, or with `new ` of another one. */
  async function since(work: () => Promise<Reply>): Promise<string[]> {
    expect((await work()).status).toBeLessThan(300)
    const read = await readOn(tenant, cursor)
    cursor = read.cursor
    return read.changes.map(({ SubjectId, Change }) => (SubjectId === id ? Change : `new ${Change}`))
  }
  const places = `/api/v1/subject/`
  const transfer = (mode: string) => async () => {
    const body = { SourceStructuralEntityKey: 'b', TransferMode: mode }
    const { body: job } = await tenant.post<JobBody>('/api/v1/structuralEntity/c/subjects/transfer', body)
    await ended(tenant, job.jobId)
    return tenant.get(`/api/v1/jobs/${job.jobId}`)
  }

  test('is one change, or two if values and places differ, or none if nothing does', async () => {
    const upsert = (...given: Parameters<typeof person>) => since(() => tenant.post(subjectsPath, person(...given)))
    expect(await upsert('ada')).toEqual([])
    expect(await upsert('ada', {}, ['a'])).toEqual([])
    expect(await upsert('ada', { email: 'x' })).toEqual(['updated'])
    expect(await upsert('ada', { email: 'y' }, ['a', 'b'])).toEqual(['updated', 'moved'])
    expect(await upsert('ada', {}, ['b'])).toEqual(['moved'])
    expect(await since(() => patch(tenant, id, texts({ email: 'z' })))).toEqual(['updated'])
    expect(await since(() => patch(tenant, id, texts({ email: 'z' })))).toEqual([])
    expect(await since(() => tenant.put(`${places}${id}/structuralEntities`, { keys: ['b', 'c'] }))).toEqual(['moved'])
    expect(await since(() => tenant.put(`${places}${id}/structuralEntities`, { keys: ['c'] }))).toEqual([])
    expect(await since(() => tenant.delete(`${places}${id}/structuralEntities?keys=c`))).toEqual(['moved'])
    expect(await since(() => tenant.delete(`${places}${id}/structuralEntities?keys=c`))).toEqual([])
    const bulk = [person('ada', { email: 'w' }), person('eve', {}, ['a'])]
    expect(await since(() => tenant.post(bulkPath, bulk))).toEqual(['updated', 'new created'])
  })

  test('a transfer is a change `moved` of each subject that it moves or copies, and so is its undo', async () => {
    expect(await since(transfer('Copy'))).toEqual(['moved'])
    expect(await since(transfer('Copy'))).toEqual([])
    let job = ''
    const moved = await since(async () => {
      const answer = await transfer('Move')()
      job = (answer.body as JobBody).jobId
      return answer
    })
    expect(moved).toEqual(['moved'])
    const undone = await since(async () => {
      const { body } = await tenant.post<JobBody>(`/api/v1/jobs/${job}/undo`)
      await ended(tenant, body.jobId)
      return tenant.get(`/api/v1/jobs/${body.jobId}`)
    })
    expect(undone).toEqual(['moved'])
  })
})

describe('the order', () => {
  test('a change that is committed late comes after those that were read before, and is not missed', async () => {
    const tenant = await subjectTenant()
    const tenantId = await tenantIdOf(db, tenant.tenantKey)
    const [early, late] = [newId(), newId()]
    const open = await db.transaction()
    await noteChanges(open, tenantId, [{ id: late, kind: 'updated' }])
    // It has a greater number in the table, and is committed first.
    await db.transaction(trx => noteChanges(trx, tenantId, [{ id: early, kind: 'updated' }]))
    const first = await readOn(tenant, '')
    expect(first.changes.map(({ SubjectId }) => SubjectId)).toEqual([early])
    await open.commit()
    const second = await readOn(tenant, first.cursor)
    expect(second.changes.map(({ SubjectId }) => SubjectId)).toEqual([late])
    expect((await readOn(tenant, '')).changes).toEqual([...first.changes, ...second.changes])
  })

  test('readers at the same time each find what was committed before', async () => {
    const tenantId = await tenantIdOf(db, (await subjectTenant()).tenantKey)
    for (let n = 1; n <= 20; n++) {
      const changed = newId()
      await db.transaction(trx => noteChanges(trx, tenantId, [{ id: changed, kind: 'updated' }]))
      const end = (await db('event_feeds').where({ tenant_id: tenantId, feed: 'subject' }).first())?.position ?? 0
      const pages = await Promise.all(Array.from({ length: 3 }, () => feedPage(db, tenantId, 'subject', end, 10)))
      expect(pages.map(({ rows }) => rows.map(({ id }) => id))).toEqual(pages.map(() => [changed]))
      for (const { first, last } of pages) expect(first).toBeLessThanOrEqual(last)
    }
  })

  const seed = Number(process.env.CHANGES_SEED ?? 20_261_123)
  test(`under load, two readers see the same changes, each write once and after those before it (CHANGES_SEED=${seed})`, async () => {
    const tenant = await subjectTenant()
    await plantWards(tenant, 'a', 'b')
    const random = randomOf(seed)
    const expected: { id: string; kind: string }[][] = []
    /** A writer of its own people, who knows what each of its writes changes, in their order. */
    async function write(n: number): Promise<void> {
      const mine: { id: string; kind: string }[] = []
      expected.push(mine)
      const body = person(`w${n}`, {}, ['a'])
      const { internalId: id } = (await tenant.post<WrittenSubject>(subjectsPath, body)).body
      mine.push({ id, kind: 'created' })
      for (let round = 0; round < 6; round++) {
        const email = texts({ email: `${round}` })
        const places = `/api/v1/subject/${id}/structuralEntities`
        switch (random.between(0, 3)) {
          case 0:
            await patch(tenant, id, email)
            mine.push({ id, kind: 'updated' })
            break
          case 1:
            await tenant.put(places, { keys: ['b'] })
            await tenant.delete(`${places}?keys=b`)
            mine.push({ id, kind: 'moved' }, { id, kind: 'moved' })
            break
          default: {
            const bulk = [person(`w${n}`, { email: `bulk ${round}` }), person(`w${n} ${round}`)]
            const { body } = await tenant.post<WrittenSubject[]>(bulkPath, bulk)
            mine.push({ id, kind: 'updated' }, { id: body[1]?.internalId ?? '', kind: 'created' })
          }
        }
      }
    }
    let isOver = false
    async function read(First: string): Promise<Change[]> {
      const seen: Change[] = []
      for (let cursor = ''; ; ) {
        const wasOver = isOver
        const read = await readOn(tenant, cursor, First)
        seen.push(...read.changes)
        cursor = read.cursor
        if (wasOver) return seen
      }
    }
    const readers = [read('3'), read('1000')]
    await Promise.all(Array.from({ length: 8 }, (_, n) => write(n)))
    isOver = true
    const [one = [], two] = await Promise.all(readers)
    expect(two).toEqual(one)
    expect((await readOn(tenant, '')).changes).toEqual(one)
    expect(one).toHaveLength(expected.flat().length)
    for (const mine of expected) {
      const ids = new Set(mine.map(({ id }) => id))
      const seen = one.filter(({ SubjectId }) => ids.has(SubjectId))
      expect(seen.map(({ SubjectId, Change }) => ({ id: SubjectId, kind: Change }))).toEqual(mine)
    }
  })
})

describe('cursors', () => {
  let tenant: Tenant
  beforeAll(async () => {
    tenant = await subjectTenant()
    for (const each of ['1', '2', '3']) await addPerson(tenant, each)
  })

  test('pages go on where the last one ended, also where nothing has changed since', async () => {
    const first = await feed(tenant, { First: '2' })
    expect([first.Edges.length, first.PageInfo]).toMatchObject([
      2,
      { HasNextPage: true, HasPreviousPage: false, TotalCount: 3 },
    ])
    expect(first.Edges[1]?.Cursor).toBe(first.PageInfo.EndCursor)
    const second = await feed(tenant, { After: first.PageInfo.EndCursor })
    expect([second.Edges.length, second.PageInfo]).toMatchObject([1, { HasNextPage: false, HasPreviousPage: true }])
    const none = await feed(tenant, { After: second.PageInfo.EndCursor })
    expect(none).toMatchObject({ Edges: [], PageInfo: { EndCursor: second.PageInfo.EndCursor, HasNextPage: false } })
    const now = await feed(tenant, { FromNow: 'true' })
    expect(now).toMatchObject({ Edges: [], PageInfo: { EndCursor: second.PageInfo.EndCursor, HasNextPage: false } })
    expect((await feed(await subjectTenant())).PageInfo).toMatchObject({ TotalCount: 0, HasNextPage: false })
  })

  test('one of another tenant, a damaged and an invented one are refused', async () => {
    const { EndCursor } = (await feed(tenant)).PageInfo
    const other = await subjectTenant()
    const foreign = { status: 400, code: 'foreign-cursor', errors: [] }
    expect(refusal(await other.get(list(path, { After: EndCursor })))).toEqual(foreign)
    expect(refusal(await tenant.get(list(path, { After: `${EndCursor}x` })))).toEqual(foreign)
    expect(refusal(await tenant.get(list(path, { After: EndCursor, FromNow: 'true' })))).toEqual(
      invalid('from-now-and-after /query/FromNow'),
    )
    expect(refusal(await tenant.get(list(path, { Last: '1' })))).toEqual(invalid('unknown-parameter /query/Last'))
  })

  test('a reader with a cursor older than the kept changes is told to begin anew', async () => {
    const { EndCursor } = (await feed(tenant, { First: '1' })).PageInfo
    // Never read: it is given its place before it is deleted.
    await addPerson(tenant, '4')
    await forgetChanges(db, changesKeptMs)
    expect((await feed(tenant)).PageInfo.TotalCount).toBe(4)
    const tenantId = await tenantIdOf(db, tenant.tenantKey)
    const long = new Date(Date.now() - changesKeptMs - 1_000)
    await addPerson(tenant, '5')
    await db('events_unnumbered').where({ tenant_id: tenantId }).update({ changed_at: long })
    await forgetChanges(db, changesKeptMs)
    expect(await db('events_unnumbered').where({ tenant_id: tenantId }).first('id')).toBeUndefined()
    await db('events').where({ tenant_id: tenantId }).update({ numbered_at: long })
    await forgetChanges(db, changesKeptMs)
    expect(refusal(await tenant.get(list(path, { After: EndCursor })))).toEqual({
      status: 410,
      code: 'changes-forgotten',
      errors: [],
    })
    const { cursor } = await readOn(tenant, (await feed(tenant, { FromNow: 'true' })).PageInfo.EndCursor)
    await addPerson(tenant, '6')
    expect((await readOn(tenant, cursor)).changes).toMatchObject([{ Change: 'created' }])
  })
})

test('the feed needs List:Subject', async () => {
  const tenant = await subjectTenant()
  const [lister, viewer] = await tenant.clients([['List:Subject'], ['View:Subject']])
  expect((await lister?.get(path))?.status).toBe(200)
  expect((await viewer?.get(path))?.status).toBe(403)
})
