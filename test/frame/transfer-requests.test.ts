// Requests for transfers.
import { beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import type { Tenant } from '../support/api.js'
import { anEntity, openDatabase, tenantWithWards } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { type Page, put, refusal } from '../support/frame.js'
import { type LocationModel, locationModel, seedLocations, seedSubjects, subjectIds } from '../support/locations.js'
import { transfer, transferPath } from '../support/transfers.js'

const db = openDatabase()

let tenant: Tenant
let model: LocationModel
/** Five subjects in `east`, none in `west`. */
async function newWards() {
  tenant = await tenantWithWards(inject('baseUrl'), 'east', 'west')
  model = locationModel()
  await seedSubjects(db, tenant.tenantKey, { count: 5 })
  await seedLocations(db, tenant.tenantKey, 'east', { count: 5 })
  model.assign('east', subjectIds({ count: 5 }))
}
const isAsModelled = async () => expect(await model.differences(db, tenant.tenantKey)).toEqual([])
const jobs = async () =>
  (await tenant.get<Page<JobBody>>('/api/v1/jobs')).body.Edges.map(({ Node }) => [Node.kind, Node.status])
const fromEast = (more: object = {}) => ({ SourceStructuralEntityKey: 'east', ...more })

describe('is accepted', () => {
  beforeEach(newWards)

  test('a transfer is accepted at once, with its job in the body and in Location', async () => {
    const { status, headers, body } = await tenant.post<JobBody>(transferPath('west'), fromEast())
    const self = `/api/v1/jobs/${body.jobId}`
    expect([status, headers.get('location')]).toEqual([202, self])
    expect(body).toEqual({
      jobId: expect.stringMatching(/^[\da-f-]{36}$/),
      kind: 'subjectTransfer',
      status: expect.stringMatching(/^(Accepted|Running|Completed)$/),
      actor: expect.stringContaining(tenant.tenantKey),
      attempt: 1,
      traceId: expect.any(String),
      progress: { done: expect.any(Number), total: expect.any(Number) },
      counts: expect.any(Object),
      input: { sourceKey: 'east', destinationKey: 'west', mode: 'Copy' },
      acceptedAt: expect.stringMatching(/Z$/),
      startedAt: body.startedAt,
      finishedAt: body.finishedAt,
      links: {
        self,
        items: `${self}/items`,
        temporalUi: expect.stringContaining(encodeURIComponent(`${tenant.tenantKey}/subjectTransfer/${body.jobId}`)),
      },
    })
    expect(await ended(tenant, body.jobId)).toMatchObject({
      ...body,
      status: 'Completed',
      progress: { done: 5, total: 5 },
      counts: { copied: 5, skipped: 0 },
      startedAt: expect.any(String),
      finishedAt: expect.any(String),
    })
    model.transfer('east', 'west', 'Copy')
    await isAsModelled()
  })

  test.each([
    ['left out', {}, 'Copy'],
    ['Copy', { TransferMode: 'Copy' }, 'Copy'],
    ['Move', { TransferMode: 'Move' }, 'Move'],
    ['move', { TransferMode: 'move' }, 'Move'],
    ['COPY', { transfermode: 'COPY' }, 'Copy'],
  ] as const)('the mode %s does what it says', async (_, given, mode) => {
    const { body } = await tenant.post<JobBody>(transferPath('west'), fromEast(given))
    const { counts } = model.transfer('east', 'west', mode)
    expect(await ended(tenant, body.jobId)).toMatchObject({ status: 'Completed', counts })
    await isAsModelled()
  })

  test("a transfer is in its tenant's list of jobs only, and has no items", async () => {
    const { jobId } = await transfer(tenant, 'east', 'west', 'Move')
    model.transfer('east', 'west', 'Move')
    const { body } = await tenant.get<Page<JobBody>>('/api/v1/jobs?Kind=subjectTransfer')
    expect(body.Edges.map(({ Node }) => Node)).toEqual([(await tenant.get(`/api/v1/jobs/${jobId}`)).body])
    const items = await tenant.get<Page<unknown>>(`/api/v1/jobs/${jobId}/items`)
    expect([items.status, items.body.Edges, items.body.PageInfo]).toEqual([
      200,
      [],
      expect.objectContaining({ TotalCount: 0, HasNextPage: false, HasPreviousPage: false }),
    ])
    const stranger = await tenantWithWards(inject('baseUrl'))
    expect((await stranger.get(`/api/v1/jobs/${jobId}`)).status).toBe(404)
    expect((await stranger.post(`/api/v1/jobs/${jobId}/undo`)).status).toBe(404)
    await isAsModelled()
  })

  test('a source whose type takes no subjects may be emptied', async () => {
    await seedLocations(db, tenant.tenantKey, 'attic', { count: 2 })
    model.assign('attic', subjectIds({ count: 2 }))
    expect(await transfer(tenant, 'attic', 'west', 'Move')).toMatchObject({ counts: { moved: 2, skipped: 0 } })
    model.transfer('attic', 'west', 'Move')
    await isAsModelled()
  })

  test.each(['Copy', 'Move'] as const)('nothing to %s is accepted all the same, and completes', async mode => {
    const job = await transfer(tenant, 'west', 'east', mode)
    expect(job).toMatchObject({ status: 'Completed', progress: { done: 0, total: 0 } })
    expect(job.counts).toEqual(model.transfer('west', 'east', mode).counts)
    await isAsModelled()
  })

  test('only subjects of the source itself are transferred, not those of its children and parents', async () => {
    await put(
      tenant,
      '/api/v1/structuralEntity',
      anEntity('house'),
      anEntity('east', { ParentKey: 'house' }),
      anEntity('room', { ParentKey: 'east' }),
    )
    for (const [key, from] of [
      ['house', 3],
      ['room', 4],
    ] as const) {
      await seedLocations(db, tenant.tenantKey, key, { from, count: 1 })
      model.assign(key, subjectIds({ from, count: 1 }))
    }
    const { counts } = await transfer(tenant, 'east', 'west', 'Move')
    expect(counts).toEqual(model.transfer('east', 'west', 'Move').counts)
    await isAsModelled()
  })

  describe('Idempotency-Key', () => {
    const withKey = { 'idempotency-key': 'k' }

    test('the same request again finds the same job, and a subject that came in between stays', async () => {
      const first = await tenant.post<JobBody>(transferPath('west'), fromEast({ TransferMode: 'Move' }), withKey)
      await ended(tenant, first.body.jobId)
      model.transfer('east', 'west', 'Move')
      await seedLocations(db, tenant.tenantKey, 'east', { count: 1 })
      model.assign('east', subjectIds({ count: 1 }))
      const again = await tenant.post<JobBody>(transferPath('west'), fromEast({ TransferMode: 'Move' }), withKey)
      expect([again.status, again.headers.get('location'), again.body.jobId]).toEqual([
        202,
        first.headers.get('location'),
        first.body.jobId,
      ])
      expect(await jobs()).toEqual([['subjectTransfer', 'Completed']])
      await isAsModelled()
    })

    test.each([
      ['another mode', 'west', { TransferMode: 'Copy' }],
      ['another destination', 'attic', { TransferMode: 'Move' }],
    ])('the key with %s is 422', async (_, to, more) => {
      const first = await tenant.post<JobBody>(transferPath('west'), fromEast({ TransferMode: 'Move' }), withKey)
      await ended(tenant, first.body.jobId)
      model.transfer('east', 'west', 'Move')
      const answer = await tenant.post(transferPath(to), fromEast(more), withKey)
      expect(refusal(answer)).toEqual({ status: 422, code: 'idempotency-key-reused', errors: [] })
      await isAsModelled()
    })

    test('ten identical undos at once make one job with a key, and one undo and nine refusals without', async () => {
      const { jobId } = await transfer(tenant, 'east', 'west', 'Move')
      const { record } = model.transfer('east', 'west', 'Move')
      const send = (headers: Record<string, string>) =>
        Array.from({ length: 10 }, () => tenant.post<JobBody>(`/api/v1/jobs/${jobId}/undo`, undefined, headers))
      const answers = await Promise.all(send(withKey))
      expect(new Set(answers.map(({ status, body }) => `${status} ${body.jobId}`)).size).toBe(1)
      expect(await ended(tenant, answers[0]?.body.jobId ?? '')).toMatchObject({ counts: model.undo(record) })
      const refused = await Promise.all(send({}))
      expect(refused.map(refusal)).toEqual(
        Array.from({ length: 10 }, () => ({ status: 409, code: 'job-undone', errors: [] })),
      )
      await isAsModelled()
    })
  })
})

describe('is refused, and nothing is written', () => {
  beforeAll(newWards)

  const source = '/SourceStructuralEntityKey'
  const destination = '/path/destinationStructuralEntityKey'

  test.each<[string, string, object | string, { status: number; code: string; errors: string[] }]>([
    ['an unknown source', 'west', { SourceStructuralEntityKey: 'nowhere' }, unknown(source)],
    ['an empty source', 'west', { SourceStructuralEntityKey: '' }, unknown(source)],
    ['a source in other letters', 'west', { SourceStructuralEntityKey: 'East' }, unknown(source)],
    ['an unknown destination', 'nowhere', fromEast(), unknown(destination)],
    ['both unknown', 'nowhere', { SourceStructuralEntityKey: 'x' }, unknown(destination, source)],
    ['the same unknown twice', 'x', { SourceStructuralEntityKey: 'x' }, unknown(destination, source)],
    ['source and destination alike', 'east', fromEast(), invalid(`same-structural-entity ${source}`)],
    ['a destination that takes none', 'attic', fromEast(), invalid(`not-assignable ${destination}`)],
    [
      'alike, and takes none',
      'attic',
      { SourceStructuralEntityKey: 'attic' },
      invalid(`same-structural-entity ${source}`, `not-assignable ${destination}`),
    ],
    ['no source', 'west', {}, invalid(`required ${source}`)],
    ['an unknown mode', 'west', fromEast({ TransferMode: 'Swap' }), invalid('unknown-value /TransferMode')],
    [
      'everything wrong',
      'west',
      { SourceStructuralEntityKey: 5, TransferMode: 5 },
      invalid(`wrong-type ${source}`, 'unknown-value /TransferMode'),
    ],
    ['a list', 'west', [], invalid('wrong-type')],
  ])('%s', async (_, to, body, wanted) => {
    expect(refusal(await tenant.post(transferPath(to), body))).toEqual(wanted)
    expect(await jobs()).toEqual([])
    await isAsModelled()
  })

  test("another tenant's entities are unknown", async () => {
    const stranger = await tenantWithWards(inject('baseUrl'), 'ours')
    const answers = [
      await stranger.post(transferPath('ours'), fromEast()),
      await stranger.post(transferPath('west'), { SourceStructuralEntityKey: 'ours' }),
    ]
    expect(answers.map(refusal)).toEqual([unknown(source), unknown(destination)])
    await isAsModelled()
  })

  test('without Edit:SubjectLocation, which alone suffices for a transfer and its undo', async () => {
    await newWards()
    const [without, alone] = await tenant.clients([
      ['Create:SubjectLocation', 'Delete:SubjectLocation', 'Edit:Subject', 'Edit:Job', 'View:Job'],
      ['Edit:SubjectLocation'],
    ])
    const done = await alone?.post<JobBody>(transferPath('west'), fromEast({ TransferMode: 'Move' }))
    expect(done?.status).toBe(202)
    await ended(tenant, done?.body.jobId ?? '')
    model.transfer('east', 'west', 'Move')
    for (const path of [transferPath('east'), `/api/v1/jobs/${done?.body.jobId}/undo`]) {
      const answer = await without?.post(path, { SourceStructuralEntityKey: 'west' })
      expect([answer?.status, answer?.body]).toEqual([
        403,
        expect.objectContaining({
          type: '/problems/forbidden',
          detail: expect.stringContaining('Edit:SubjectLocation'),
        }),
      ])
    }
    await isAsModelled()
    expect((await alone?.post(`/api/v1/jobs/${done?.body.jobId}/undo`))?.status).toBe(202)
  })

  function unknown(...pointers: string[]) {
    return { status: 404, code: 'not-found', errors: pointers.map(each => `unknown-structural-entity ${each}`) }
  }
  function invalid(...errors: string[]) {
    return { status: 400, code: 'validation', errors }
  }
})
