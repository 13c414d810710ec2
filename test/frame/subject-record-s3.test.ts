import type { Knex } from 'knex'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { admin } from '../support/api.js'
import { refusal } from '../support/frame.js'
import { sendBytes } from '../support/http.js'
import { aKey } from '../support/manifest.js'
import { startOwnApp } from '../support/own-app.js'
import {
  aPdf,
  aSubject,
  effectiveDate,
  file,
  formOf,
  formType,
  megabyte,
  type Subject,
  sha256,
  title,
} from '../support/records.js'
import { type S3, startS3 } from '../support/s3.js'

let db: Knex
let s3: S3
let own: Awaited<ReturnType<typeof startOwnApp>>
let token: string
let subject: Subject
const clientId = aKey('c')
const tenantKey = aKey('t')

beforeAll(async () => {
  db = connect(inject('databaseUrl'), { poolSize: 2 })
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
  await db.destroy()
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
  ['25 MB', 25 * megabyte],
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

test('several of 20 MB at once are kept to the byte', async () => {
  const all = Array.from({ length: 4 }, () => aPdf(20 * megabyte))
  const ids = await Promise.all(all.map(bytes => subject.uploaded([title(), effectiveDate(), file(bytes)])))
  expect(await Promise.all(ids.map(async id => sha256((await subject.download(id)).bytes)))).toEqual(all.map(sha256))
})

test.each([
  [
    'has a bad text after the file',
    formOf([file(aPdf(12 * megabyte)), title(), effectiveDate('soon')]),
    400,
    'validation',
  ],
  ['has a bad text after a small file', formOf([file(aPdf()), title(), effectiveDate('soon')]), 400, 'validation'],
  ['has a file that is too large', form(aPdf(26 * megabyte)), 400, 'validation'],
  ['has a file that is no PDF', form(Buffer.alloc(6 * megabyte)), 415, 'file-type'],
  ['breaks off', form(aPdf(12 * megabyte)).subarray(0, 11 * megabyte), 400, 'malformed-form'],
])('an upload that %s leaves no object, no part and no row', async (_, body, status, code) => {
  const before = { bucket: await bucket(), kept: await subject.kept() }
  expect(refusal(await subject.upload(body))).toMatchObject({ status, code })
  expect({ bucket: await bucket(), kept: await subject.kept() }).toEqual(before)
  expect(before.kept).toMatchObject({ broken: 0 })
})

test('a caller who goes away in the middle leaves no object, no part and no row', async () => {
  const before = { bucket: await bucket(), kept: await subject.kept() }
  const body = form(aPdf(20 * megabyte))
  const head = [
    `POST ${subject.path}/upload HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${token}`,
    `Content-Type: ${formType}`,
    `Content-Length: ${body.length}`,
  ]
  await sendBytes(own.baseUrl, [`${head.join('\r\n')}\r\n\r\n`, body.subarray(0, 12 * megabyte)], { cut: true })
  await expect
    .poll(async () => ({ bucket: await bucket(), kept: await subject.kept() }), { timeout: 10_000 })
    .toEqual(before)
})

test('while the storage is away uploads and downloads are 503; what was begun is noted for the sweeper', async () => {
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
