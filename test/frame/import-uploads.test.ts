// Uploads of imports: those that are refused at once, and what is kept of them.
import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { openDatabase, plantWards, subjectTenant } from '../support/factories.js'
import { ended } from '../support/faults.js'
import { invalid, refusal } from '../support/frame.js'
import { sendBytes } from '../support/http.js'
import { csv, csvType, importPath, ndjsonType, upload } from '../support/imports.js'
import { startOwnApp } from '../support/own-app.js'

const db = openDatabase()

const tenant = await subjectTenant()
await plantWards(tenant, 'a', 'b')

const kept = async () => {
  const tenant_id = await tenantIdOf(db, tenant.tenantKey)
  const [[files], [chunks]] = await Promise.all([
    db('import_files').where({ tenant_id }).count({ n: '*' }),
    db('file_chunks').where({ tenant_id }).count({ n: '*' }),
  ])
  return { files: Number(files?.n), chunks: Number(chunks?.n) }
}

test.each([
  ['an unknown column', 'nationalId,colour\n1,red\n', {}, 'unknown-column /1/2'],
  ['no matching field', 'givenName,familyName\nA,B\n', {}, 'missing-column /1'],
  ['a mapped column that is not there', 'nationalId\n1\n', { Map: 'Nr:givenName' }, 'missing-column /query/Map/0'],
  ['a map to an unknown field', 'nationalId,x\n1,2\n', { Map: 'x:colour' }, 'unknown-custom-field /query/Map/0'],
  ['a map without a field', 'nationalId\n1\n', { Map: 'x' }, 'wrong-format /query/Map/0'],
  ['a map that the manifest has not', 'nationalId\n1\n', { MapKey: 'hr' }, 'unknown-map /query/MapKey'],
  ['a column twice', 'nationalId,nationalId\n1,2\n', {}, 'duplicate-column /1/2'],
  ['two columns for one value', 'nationalId,x\n1,2\n', { Map: 'x:nationalId' }, 'duplicate-column /1/2'],
  ['another separator', 'nationalId;givenName\n1;A\n', {}, 'wrong-separator /1'],
  ['another separator, and quotes', '"nationalId";"givenName"\n1;A\n', {}, 'wrong-separator /1'],
  ['a quote in its header', 'nationalId,given"Name\n1,A\n', {}, 'stray-quote /1/2'],
  ['quotes that are never closed', 'nationalId,"givenName\n1,A\n', {}, 'unclosed-quote /1/2'],
  ['a header in Latin-1', Buffer.from('nationalId,pr\xe9nom\n1,2\n', 'latin1'), {}, 'not-utf-8 /1/2'],
  ['10,000 columns', `nationalId${',x'.repeat(9_999)}\n`, {}, 'too-many-columns /1'],
  ['carriage returns alone', 'nationalId,givenName\r1,A\r', {}, 'wrong-line-ends /1'],
  ['an unknown mode', 'nationalId\n1\n', { Mode: 'some' }, 'unknown-value /query/Mode'],
])('with %s is refused at once', async (_, body, query, fault) => {
  const before = await kept()
  expect(refusal(await upload(tenant, body, { query }))).toEqual(invalid(fault))
  expect(await kept()).toEqual(before)
})

test.each([
  ['that is empty', '', csvType, 400, 'no-rows'],
  ['of a header alone', 'nationalId\n', csvType, 400, 'no-rows'],
  ['of no lines', '', ndjsonType, 400, 'no-rows'],
  ['of JSON', '[]', { 'content-type': 'application/json' }, 415, 'content-type'],
  [
    'in Latin-1, as it says',
    'nationalId\n1\n',
    { 'content-type': 'text/csv; charset=iso-8859-1' },
    415,
    'content-type',
  ],
  ['that is no gzip', 'nationalId\n1\n', { ...csvType, 'content-encoding': 'gzip' }, 400, 'unreadable-body'],
  ['in an unknown encoding', 'x', { ...csvType, 'content-encoding': 'zip' }, 415, 'content-encoding'],
  [
    'of gzip that breaks off',
    gzipSync(csv('1,A,B,,,,,')).subarray(0, 60),
    { ...csvType, 'content-encoding': 'gzip' },
    400,
    'unreadable-body',
  ],
])('%s is refused, and nothing of it is kept', async (_, body, headers, status, code) => {
  const before = await kept()
  expect(refusal(await upload(tenant, body, { headers }))).toMatchObject({ status, code })
  expect(await kept()).toEqual(before)
})

test('above IMPORT_MAX_MB is refused: at once if its length says so, in the middle if it is in gzip', async () => {
  const own = await startOwnApp(inject('databaseUrl'), { IMPORT_MAX_MB: '1' })
  try {
    const claims = { tenant_key: tenant.tenantKey, client_id: `${tenant.tenantKey}-0`, scope: 'FrameApi' }
    const client = { ...tenant, token: await own.issuer.token(claims) }
    const rows = csv(...Array.from({ length: 40_000 }, (_, n) => `much-${n},Ada,Byron,1980-01-31,,,,a`))
    const before = await kept()
    const zipped = { ...csvType, 'content-encoding': 'gzip' }
    for (const [body, headers] of [
      [rows, csvType],
      [gzipSync(rows), zipped],
    ] as const)
      expect(refusal(await upload(client, body, { headers, baseUrl: own.baseUrl }))).toMatchObject({ status: 413 })
    expect(await kept()).toEqual(before)
  } finally {
    await own.stop()
  }
})

/** As it goes over the wire, to the blank line before the body. */
const headOf = (length: number) =>
  [
    `POST ${importPath} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${tenant.token}`,
    'Content-Type: text/csv',
    `Content-Length: ${length}`,
    '\r\n',
  ].join('\r\n')

test('whose header is refused is read to its end, so that the connection can be used again', async () => {
  const rows = `unknown\n${'x\n'.repeat(10_000_000)}`
  const next = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  const answers = await sendBytes(inject('baseUrl'), [headOf(rows.length), rows, next])
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 200'])
})

test('whose caller goes away in the middle leaves nothing', async () => {
  const before = await kept()
  const rows = csv(...Array.from({ length: 60_000 }, (_, n) => `cut-${n},Ada,Byron,1980-01-31,,,,a`))
  await sendBytes(inject('baseUrl'), [headOf(rows.length + 1), rows], { cut: true })
  await expect.poll(kept, { timeout: 10_000 }).toEqual(before)
  const tenant_id = await tenantIdOf(db, tenant.tenantKey)
  const jobs = await db('jobs').where({ tenant_id, kind: 'subjectImport', status: 'Accepted' })
  expect(jobs).toEqual([])
})

test('with an Idempotency-Key makes one job; another upload, or other options, with the key are 422', async () => {
  const headers = { ...csvType, 'idempotency-key': randomUUID() }
  const rows = csv('key-1,Ada,Byron,,,,,a')
  const first = await upload(tenant, rows, { headers })
  const again = await upload(tenant, rows, { headers })
  expect([first.status, again.status, again.body.jobId]).toEqual([202, 202, first.body.jobId])
  expect(again.headers.get('location')).toBe(`/api/v1/jobs/${first.body.jobId}`)
  expect(refusal(await upload(tenant, `${rows}\n`, { headers }))).toMatchObject({ status: 422 })
  expect(refusal(await upload(tenant, rows, { headers, query: { DryRun: 'true' } }))).toMatchObject({ status: 422 })
  expect((await ended(tenant, first.body.jobId)).counts).toMatchObject({ created: 1 })
  const tenant_id = await tenantIdOf(db, tenant.tenantKey)
  expect(await db('import_files').where({ tenant_id, job_id: null })).toEqual([])
})

test('needs a permission to write subjects, and an upsert that is configured', async () => {
  const [reader] = await tenant.clients([['List:Subject']])
  if (!reader) throw new Error('no client')
  expect((await upload(reader, csv('x,A,B,,,,,'))).status).toBe(403)
})
