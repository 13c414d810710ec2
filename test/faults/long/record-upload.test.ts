// Record uploads beside kills.
import { connect as connectSocket, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Knex } from 'knex'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connect } from '../../../db/connect.js'
import { newTenant } from '../../support/api.js'
import { aPdf, aSubject, type Subject } from '../../support/factories.js'
import { signal } from '../../support/faults.js'
import { forgetNow, temporalClient } from '../../support/jobs.js'
import { effectiveDate, file, formOf, formType, megabyte, sha256, title } from '../../support/records.js'
import { type S3, startS3 } from '../../support/s3.js'
import { type Stack, startStack } from '../../support/stack.js'
import { until } from '../../support/until.js'

// With DATABASE_URL the server is somebody else's, and not ours to kill.
const ours = !process.env.DATABASE_URL

describe.each(['mysql', 's3'] as const)('documents in %s', storage => {
  let s3: S3
  let stack: Stack
  let db: Knex
  let temporal: Awaited<ReturnType<typeof temporalClient>>
  let token: string
  let subject: Subject

  beforeAll(async () => {
    s3 = await startS3()
    stack = await startStack({ ...s3.env, RECORD_STORAGE: storage })
    db = connect(stack.databaseUrl, { poolSize: 2 })
    temporal = await temporalClient(stack.temporalAddress, stack.encryptionKey)
  })
  afterAll(async () => {
    await db?.destroy()
    await temporal?.close()
    await stack?.stop()
    await s3?.stop()
  })
  beforeEach(async () => {
    const tenant = await newTenant(stack.baseUrl)
    token = tenant.token
    subject = await aSubject(db, { ...tenant, baseUrl: stack.baseUrl })
  })

  const bytes = aPdf(20 * megabyte)
  const form = formOf([title(), effectiveDate(), file(bytes)])
  const left = async () => ({ ...(await subject.kept()), objects: await s3.objects(), uploads: await s3.uploads() })

  /** Sends most of the form and waits until a part of it is kept. */
  async function halfSent(): Promise<Socket> {
    const before = await left()
    const { hostname, port } = new URL(stack.baseUrl)
    const socket = connectSocket(Number(port), hostname)
    socket.on('error', () => undefined)
    const head = [
      `POST ${subject.path}/upload HTTP/1.1`,
      'Host: x',
      'Connection: close',
      `Authorization: Bearer ${token}`,
      `Content-Type: ${formType}`,
      `Content-Length: ${form.length}`,
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    socket.write(form.subarray(0, 12 * megabyte))
    await until('a part of the file is kept', async () => {
      const { chunks, uploads } = await left()
      return chunks > before.chunks + 5 || uploads.length > 0
    })
    return socket
  }

  /** What is older than an hour has broken off. */
  async function anHourLater(): Promise<void> {
    const past = new Date(Date.now() - 3_700_000)
    await db('record_items').whereNot({ state: 'stored' }).update({ created_at: past })
  }

  test('the part of an upload whose API was killed is deleted by the retention', async () => {
    const kept = await subject.uploaded([title(), effectiveDate(), file(aPdf(6 * megabyte))])
    const before = await left()
    const socket = await halfSent()
    signal(stack.api, 'SIGKILL')
    await until('the connection breaks', async () => socket.closed)
    await stack.ready()
    const broken = await left()
    expect(broken).toMatchObject({ stored: 1, broken: 1 })
    expect(broken.chunks + broken.uploads.length).toBeGreaterThan(before.chunks + before.uploads.length)

    await anHourLater()
    await forgetNow(temporal.client)
    expect((await left()).broken).toBe(0)
    expect(await left()).toEqual(before)
    expect((await subject.download(kept)).bytes).toHaveLength(6 * megabyte)
    expect((await subject.upload(form)).status).toBe(200)
  })

  test.runIf(storage === 'mysql')('the retention leaves an upload alone that is still under way', async () => {
    const socket = await halfSent()
    await forgetNow(temporal.client)
    socket.write(form.subarray(12 * megabyte))
    const answer = await text(socket)
    const { id } = JSON.parse(/\{.*\}/.exec(answer)?.[0] ?? '')
    expect(sha256((await subject.download(id)).bytes)).toBe(sha256(bytes))
  })

  test.skipIf(!ours)(
    'a database that hangs in the middle and is killed: 503, and in the end nothing is left',
    async () => {
      const process = stack.api.pid
      const before = await left()
      const socket = await halfSent()
      if (!stack.database) throw new Error('No database of our own')
      signal(stack.database, 'SIGSTOP')
      socket.write(form.subarray(12 * megabyte))
      const answer = await text(socket)
      signal(stack.database, 'SIGKILL')
      expect(answer).toMatch(/^HTTP\/1.1 503/)
      expect(answer).toContain('/problems/unavailable')
      await stack.ready()
      expect(stack.api.pid, 'the process lives on').toBe(process)

      await until('the database answers the test', () =>
        anHourLater().then(
          () => true,
          () => false,
        ),
      )
      await forgetNow(temporal.client)
      expect((await left()).broken).toBe(0)
      expect(await left()).toEqual(before)
      expect((await subject.upload(form)).status).toBe(200)
    },
  )
})
