// Subject records.
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { admin, aKey, newTenant } from '../support/api.js'
import { isVitess } from '../support/database-servers.js'
import { aPdf, aSubject, openDatabase, type Subject } from '../support/factories.js'
import { invalid, refusal } from '../support/frame.js'
import { problem, send, sendBytes } from '../support/http.js'
import { startOwnApp } from '../support/own-app.js'
import { effectiveDate, file, formOf, formType, megabyte, sha256, title } from '../support/records.js'
import { type S3, startS3 } from '../support/s3.js'
import { until } from '../support/until.js'

const baseUrl = inject('baseUrl')
const db = openDatabase()
let subject: Subject

const tenant = await newTenant(baseUrl)
subject = await aSubject(db, { ...tenant, baseUrl })

const row = (id: string) =>
  db('record_items')
    .where({ id })
    .first('subject_id', 'state', 'title', 'effective_date', 'file_name', 'size', 'sha256', 'actor')

describe('a document', () => {
  test('is stored with its title and date, and read back byte for byte', async () => {
    const bytes = aPdf(3 * megabyte + 17)
    const answer = await subject.upload(formOf([file(bytes), title('Röntgen 肺'), effectiveDate('2026-02-28')]))
    expect(answer).toMatchObject({ status: 200, body: { id: expect.stringMatching(/^[\da-f-]{36}$/) } })
    expect(Object.keys(answer.body as object)).toEqual(['id'])
    const { id } = answer.body as { id: string }
    expect(await row(id)).toMatchObject({
      subject_id: subject.id,
      state: 'stored',
      title: 'Röntgen 肺',
      effective_date: '2026-02-28',
      file_name: 'letter.pdf',
      size: bytes.length,
      sha256: sha256(bytes),
    })

    const read = await subject.download(id)
    expect(read.status).toBe(200)
    expect(sha256(read.bytes)).toBe(sha256(bytes))
    expect(Object.fromEntries(read.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(bytes.length),
      'content-disposition': 'attachment; filename="letter.pdf"',
      etag: `"${sha256(bytes)}"`,
      'x-content-type-options': 'nosniff',
    })
  })

  const bytes = aPdf()
  test.each([
    ['file first', [file(bytes), title(), effectiveDate()]],
    ['file last', [title(), effectiveDate(), file(bytes)]],
    ['file between', [title(), file(bytes), effectiveDate()]],
    [
      'names in other letter case',
      [{ ...title(), name: 'TITLE' }, { ...effectiveDate(), name: 'effectivedate' }, file(bytes, { name: 'File' })],
    ],
    [
      'texts with a content type',
      [{ ...title(), type: 'text/plain; charset=utf-8' }, { ...effectiveDate(), type: 'text/plain' }, file(bytes)],
    ],
    [
      'parts that nobody asked for',
      [
        { name: 'comment', content: 'x' },
        file('MZ', { name: 'other', type: 'application/x-msdownload' }),
        title(),
        effectiveDate(),
        file(bytes),
      ],
    ],
    ['a file that says to be something else', [title(), effectiveDate(), file(bytes, { type: 'text/plain' })]],
    ['a file that says nothing', [title(), effectiveDate(), { name: 'file', content: bytes }]],
    ['a title of 255 letters', [title('é'.repeat(255)), effectiveDate(), file(bytes)]],
  ])('is taken with %s', async (_, parts) => {
    const read = await subject.download(await subject.uploaded(parts))
    expect(read.bytes.equals(bytes)).toBe(true)
  })

  test.each([
    ['2026-11-21', '2026-11-21'],
    ['2024-02-29', '2024-02-29'],
    ['2026-11-21T10:15:30Z', '2026-11-21T10:15:30.000Z'],
    ['2026-11-21T10:15:30.125+02:00', '2026-11-21T08:15:30.125Z'],
    ['2026-11-21T10:15', '2026-11-21T10:15:00.000Z'],
    ['20261121', '2026-11-21'],
    ['20261121T101530Z', '2026-11-21T10:15:30.000Z'],
    ['20261121T101530,125+0200', '2026-11-21T08:15:30.125Z'],
    ['20261121T1015', '2026-11-21T10:15:00.000Z'],
  ])('of the effective date %s is kept with %s', async (given, kept) => {
    const id = await subject.uploaded([title(), effectiveDate(given), file(aPdf())])
    expect(await row(id)).toMatchObject({ effective_date: kept })
  })

  test.each([
    ['befund.pdf', 'attachment; filename="befund.pdf"'],
    ['Befund März.pdf', 'attachment; filename="Befund März.pdf"'],
    ['肺 "1".pdf', /^attachment; filename="\? "; filename\*=UTF-8''%E8%82%BA%20$/],
    ['C:\\temp\\scan 1.pdf', 'attachment; filename="scan 1.pdf"'],
    ['../../etc/passwd', 'attachment; filename="passwd"'],
    ['a%22; b=%0D%0A.pdf', /^attachment; filename="[^"\r\n]*"(; filename\*=[^"; ]*)?$/],
    ['report.html', 'attachment; filename="report.html"'],
  ])('called %s comes back under a safe name', async (fileName, disposition) => {
    const read = await subject.download(await subject.uploaded([title(), effectiveDate(), file(aPdf(), { fileName })]))
    expect(read.headers.get('content-disposition')).toEqual(
      disposition instanceof RegExp ? expect.stringMatching(disposition) : disposition,
    )
    expect(read.headers.get('content-type')).toBe('application/pdf')
  })

  test('without a file name is named after its id', async () => {
    const id = await subject.uploaded([title(), effectiveDate(), { name: 'file', content: aPdf() }])
    expect((await subject.download(id)).headers.get('content-disposition')).toBe(`attachment; filename="${id}.pdf"`)
  })

  test('of exactly 25 MB is taken, and so are several of 2 MB at once', async () => {
    const all = [aPdf(25 * megabyte), ...Array.from({ length: 3 }, () => aPdf(2 * megabyte))]
    const ids = await Promise.all(all.map(each => subject.uploaded([title(), effectiveDate(), file(each)])))
    const read = await Promise.all(ids.map(async id => sha256((await subject.download(id)).bytes)))
    expect(read).toEqual(all.map(sha256))
  })
})

describe('the documents of a subject', () => {
  test('are listed in the order of their uploads, page by page, and removed one by one', async () => {
    const own = await aSubject(db, { ...tenant, baseUrl })
    expect((await tenant.get(own.path)).body).toMatchObject({ pageInfo: { totalCount: 0 }, edges: [] })
    const bytes = aPdf(100)
    const ids: string[] = []
    for (const each of ['first', 'second', 'third'])
      ids.push(await own.uploaded([title(each), effectiveDate('2026-02-28'), file(bytes)]))
    await own.upload(formOf([title('broken'), file(bytes)]))

    interface Files {
      pageInfo: { hasNextPage: boolean; endCursor: string; totalCount: number }
      edges: { node: { id: string } }[]
    }
    const page = async (query: string) => (await tenant.get<Files>(`${own.path}${query}`)).body
    const first = await page('?First=2')
    expect(first).toMatchObject({ pageInfo: { hasNextPage: true, totalCount: 3 } })
    expect(first.edges.map(({ node }) => node.id)).toEqual(ids.slice(0, 2))
    expect(first.edges[0]?.node).toEqual({
      id: ids[0],
      title: 'first',
      effectiveDate: '2026-02-28',
      fileName: 'letter.pdf',
      size: 100,
      sha256: sha256(bytes),
      uploadedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    const next = await page(`?After=${first.pageInfo.endCursor}`)
    expect(next.edges.map(({ node }) => node.id)).toEqual(ids.slice(2))

    const removed = `${own.path}/${ids[1]}`
    expect((await tenant.delete(removed)).status).toBe(204)
    expect((await tenant.get(removed)).status).toBe(404)
    expect((await tenant.delete(removed)).body).toEqual(problem(404, 'not-found', removed))
    expect((await page('')).edges.map(({ node }) => node.id)).toEqual([ids[0], ids[2]])
    expect(await db('record_items').where({ id: ids[1] }).first()).toBeUndefined()
    expect(await db('file_chunks').where({ file_id: ids[1] }).first()).toBeUndefined()
  })

  test('an upload that is repeated with its Idempotency-Key stores one document, also at the same moment', async () => {
    const own = await aSubject(db, { ...tenant, baseUrl })
    const key = { headers: { 'idempotency-key': aKey('upload') } }
    const bytes = aPdf(2_000)
    const form = formOf([title(), effectiveDate(), file(bytes)])
    const answers = await Promise.all(Array.from({ length: 4 }, () => own.upload(form, key)))
    const [first] = answers
    for (const answer of answers) expect(answer).toEqual({ ...first, headers: expect.anything(), status: 200 })
    const basic = formOf([title(), effectiveDate('20261121'), file(bytes)])
    expect((await own.upload(basic, key)).body, 'the same date in another form').toEqual(first?.body)
    for (const other of [
      formOf([title('another'), effectiveDate(), file(bytes)]),
      formOf([title(), effectiveDate(), file(aPdf(2_001))]),
    ])
      expect(await own.upload(other, key)).toMatchObject({
        status: 422,
        body: { type: '/problems/idempotency-key-reused' },
      })
    const rows: { id: string }[] = await db('record_items').where({ subject_id: own.id }).select('id')
    expect(rows).toEqual([first?.body])
  })
})

test.skipIf(isVitess)(
  'an upload is slowed down to the pace of the database, without collecting in memory',
  async () => {
    const bytes = aPdf(18 * megabyte)
    const form = formOf([title(), effectiveDate(), file(bytes)])
    const locks = connect(inject('databaseUrl'), { poolSize: 1 })
    await locks.raw('LOCK TABLES file_chunks READ')
    const { hostname, port } = new URL(baseUrl)
    const socket = createConnection(Number(port), hostname)
    const head = [
      `POST ${subject.path}/upload HTTP/1.1`,
      'Host: x',
      'Connection: close',
      `Authorization: Bearer ${tenant.token}`,
      `Content-Type: ${formType}`,
      `Content-Length: ${form.length}`,
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    let sent = 0
    const sending = (async () => {
      for (; sent < form.length; sent += 65_536) {
        if (!socket.write(form.subarray(sent, sent + 65_536))) await once(socket, 'drain')
      }
    })()
    await until('the first piece waits for the lock', async () => {
      const [threads = []]: { Info: string | null }[][] = await db.raw('SHOW FULL PROCESSLIST')
      return threads.some(({ Info }) => /^insert into `?file_chunks/i.test(Info ?? ''))
    })
    // The buffers of the two sockets take some megabytes; a process that does not wait takes all of it.
    const whileLocked = await until('the caller is at rest', async () => {
      const before = sent
      await sleep(300)
      return sent === before && sent
    })
    await locks.raw('UNLOCK TABLES')
    await locks.destroy()
    await sending
    const answer = await text(socket)
    expect(whileLocked).toBeGreaterThan(0)
    expect(whileLocked).toBeLessThan(15 * megabyte)
    const { id } = JSON.parse(/\{.*\}/.exec(answer)?.[0] ?? '')
    expect(sha256((await subject.download(id)).bytes)).toBe(sha256(bytes))
  },
)

describe('who may', () => {
  const form = () => formOf([file(aPdf()), title(), effectiveDate()])
  const as = async (permissions: string[]) =>
    aSubject(db, { baseUrl, tenantKey: tenant.tenantKey, token: (await tenant.client(permissions)).token })

  test('uploading needs Create:, reading View:, removing Delete:SubjectRecordItem', async () => {
    const reader = await as(['View:SubjectRecordItem'])
    const refused = await reader.upload(form())
    const path = `${reader.path}/upload`
    const detail = 'The caller needs the permission Create:SubjectRecordItem.'
    expect(refused.body).toEqual(problem(403, 'forbidden', path, { detail }))
    const writer = await as(['Create:SubjectRecordItem'])
    const id = await writer.uploaded([file(aPdf()), title(), effectiveDate()])
    const read = await writer.download(id)
    expect(JSON.parse(read.bytes.toString())).toEqual(
      problem(403, 'forbidden', `${writer.path}/${id}`, {
        detail: 'The caller needs the permission View:SubjectRecordItem.',
      }),
    )
  })

  test.each([
    ['unknown: 404', crypto.randomUUID(), { status: 404, code: 'not-found', errors: [] }],
    ['no guid: 400', 'x', invalid('wrong-format /path/subjectId')],
    ['no letters of a guid: 400', encodeURIComponent('é'.repeat(36)), invalid('wrong-format /path/subjectId')],
  ])('a subject that is %s, before its form is looked at', async (_, id, refused) => {
    const path = `/api/v1/subjects/${id}/file/upload`
    expect(refusal(await subject.upload(Buffer.from('no form'), { path }))).toEqual(refused)
  })

  test('ids of subjects and documents are taken in any letter case', async () => {
    const path = subject.path.replace(subject.id, subject.id.toUpperCase())
    const id = await subject.uploaded([file(aPdf()), title(), effectiveDate()])
    expect((await tenant.get(`${path}/${id.toUpperCase()}`)).status).toBe(200)
  })

  test('subjects and documents of another tenant, or of another subject, do not exist', async () => {
    const other = await newTenant(baseUrl)
    const theirs = await aSubject(db, { ...other, baseUrl })
    const mine = await subject.uploaded([file(aPdf()), title(), effectiveDate()])
    const sibling = await aSubject(db, { ...tenant, baseUrl })
    expect((await theirs.upload(form(), { path: `${subject.path}/upload` })).body).toEqual(
      problem(404, 'not-found', `${subject.path}/upload`),
    )
    for (const path of [`${theirs.path}/${mine}`, `${subject.path}/${mine}`]) {
      expect((await other.get(path)).body).toEqual(problem(404, 'not-found', path))
    }
    for (const path of [`${sibling.path}/${mine}`, `${subject.path}/${crypto.randomUUID()}`, `${subject.path}/x`]) {
      expect((await tenant.get(path)).body).toEqual(problem(404, 'not-found', path))
    }
    expect(await theirs.kept()).toEqual({ stored: 0, broken: 0, chunks: 0 })
  })

  test('HEAD tells the size without sending the document', async () => {
    const id = await subject.uploaded([file(aPdf(5_000)), title(), effectiveDate()])
    const headers = { authorization: `Bearer ${tenant.token}` }
    const answer = await send(baseUrl, `${subject.path}/${id}`, { method: 'HEAD', headers })
    expect(answer).toMatchObject({ status: 200, text: '', headers: { 'content-length': '5000' } })
  })
})

describe('a document in an S3 bucket', () => {
  let s3: S3
  let own: Awaited<ReturnType<typeof startOwnApp>>
  let token: string
  let subject: Subject
  const clientId = aKey('c')
  const tenantKey = aKey('t')

  beforeAll(async () => {
    s3 = await startS3()
    own = await startOwnApp(inject('databaseUrl'), s3.env)
    const platform = await admin(inject('baseUrl'))
    const clients = [{ id: clientId, scopes: ['FrameApi'], permissions: ['*'] }]
    expect((await platform.put(`/admin/v1/tenants/${tenantKey}`, { clients })).status).toBe(200)
    token = await own.issuer.token({ tenant_key: tenantKey, client_id: clientId, scope: 'FrameApi' })
  })
  afterAll(async () => {
    await own?.stop()
    await s3?.stop()
  })
  beforeEach(async () => {
    subject = await aSubject(db, { baseUrl: own.baseUrl, tenantKey, token })
  })

  const form = (bytes: Buffer) => formOf([title(), effectiveDate(), file(bytes)])
  const bucket = async () => ({ objects: await s3.objects(), uploads: await s3.uploads() })

  test.each([
    ['one part', 2_000],
    ['one part to the byte', 5 * megabyte],
    ['several parts', 5 * megabyte + 1],
    ['two parts to the byte', 10 * megabyte],
  ])('a document of %s is an object of the bucket, and is read back to the byte', async (_, size) => {
    const bytes = aPdf(size)
    const before = await s3.objects()
    const id = await subject.uploaded([title(), file(bytes), effectiveDate()])
    const { tenant_id, storage } = await db('record_items').where({ id }).first('tenant_id', 'storage')
    expect(storage).toBe('s3')
    expect(await bucket()).toEqual({
      objects: expect.arrayContaining([...before, `records/${tenant_id}/${id}`]),
      uploads: [],
    })
    const read = await subject.download(id)
    expect(sha256(read.bytes)).toBe(sha256(bytes))
    expect(read.headers.get('etag')).toBe(`"${sha256(bytes)}"`)
    expect(await subject.kept()).toMatchObject({ chunks: 0 })
  })

  test('several of two parts at once are kept to the byte', async () => {
    const all = [aPdf(6 * megabyte), aPdf(6 * megabyte)]
    const ids = await Promise.all(all.map(bytes => subject.uploaded([title(), effectiveDate(), file(bytes)])))
    expect(await Promise.all(ids.map(async id => sha256((await subject.download(id)).bytes)))).toEqual(all.map(sha256))
  })

  test.each([
    [
      'has a bad text after the file',
      formOf([file(aPdf(6 * megabyte)), title(), effectiveDate('soon')]),
      400,
      'validation',
    ],
    ['has a bad text after a small file', formOf([file(aPdf()), title(), effectiveDate('soon')]), 400, 'validation'],
    ['has a file that is too large', form(aPdf(26 * megabyte)), 400, 'validation'],
    ['has a file that is no PDF', form(Buffer.alloc(6 * megabyte)), 415, 'file-type'],
    ['breaks off', form(aPdf(7 * megabyte)).subarray(0, 6 * megabyte), 400, 'malformed-form'],
  ])('an upload that %s leaves no object, no part and no row', async (_, body, status, code) => {
    const before = { bucket: await bucket(), kept: await subject.kept() }
    expect(refusal(await subject.upload(body))).toMatchObject({ status, code })
    expect({ bucket: await bucket(), kept: await subject.kept() }).toEqual(before)
    expect(before.kept).toMatchObject({ broken: 0 })
  })

  test('a caller who goes away in the middle leaves no object, no part and no row', async () => {
    const before = { bucket: await bucket(), kept: await subject.kept() }
    const body = form(aPdf(8 * megabyte))
    const head = [
      `POST ${subject.path}/upload HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${token}`,
      `Content-Type: ${formType}`,
      `Content-Length: ${body.length}`,
    ]
    await sendBytes(own.baseUrl, [`${head.join('\r\n')}\r\n\r\n`, body.subarray(0, 6 * megabyte)], { cut: true })
    await expect
      .poll(async () => ({ bucket: await bucket(), kept: await subject.kept() }), { timeout: 10_000 })
      .toEqual(before)
  })

  test('while the storage is away uploads and downloads are 503, and begun uploads are left to the retention', async () => {
    const id = await subject.uploaded([title(), file(aPdf()), effectiveDate()])
    const before = await subject.kept()
    s3.refuse(true)
    try {
      const answer = await subject.upload(form(aPdf(6 * megabyte)))
      expect(answer.body).toMatchObject({
        status: 503,
        type: '/problems/unavailable',
        detail: expect.stringContaining('The file storage'),
      })
      expect(JSON.parse((await subject.download(id)).bytes.toString())).toMatchObject({
        status: 503,
        type: '/problems/unavailable',
      })
    } finally {
      s3.refuse(false)
    }
    expect(await subject.kept()).toEqual({ ...before, broken: before.broken + 1 })
    expect((await subject.download(id)).status).toBe(200)
    const { tenant_id } = await db('tenants').where({ tenant_key: tenantKey }).first({ tenant_id: 'id' })
    await db('record_items').where({ tenant_id }).whereNot({ state: 'stored' }).delete()
  })
})
