// Portal mails beside outages of the mail server.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { connect } from '../../../db/connect.js'
import { type Api, admin, type Tenant } from '../../support/api.js'
import { addSubject, portalTenant } from '../../support/factories.js'
import { ended, signal } from '../../support/faults.js'
import { everythingTemporalHolds, forgetNow, operatorOf, temporalClient } from '../../support/jobs.js'
import { type MailServer, mailServer } from '../../support/mail-server.js'
import { invite, mailsOf, uninvite } from '../../support/portal.js'
import { type Stack, startStack } from '../../support/stack.js'
import { until } from '../../support/until.js'

let mails: MailServer
let stack: Stack
let tenant: Tenant
let platform: Api
beforeAll(async () => {
  mails = await mailServer()
  stack = await startStack({ SMTP_URL: mails.url, SMTP_FROM: 'Armature <no-reply@armature.example>' })
  tenant = await portalTenant(stack.baseUrl)
  platform = await admin(stack.baseUrl)
})
afterEach(async () => {
  await mails.close()
  mails.taken.length = 0
  mails.refuse = () => undefined
  mails.before = async () => undefined
})
afterAll(async () => {
  await mails?.close()
  await stack?.stop()
})

/** Invites and does not wait for the mails. */
async function invited(...emails: string[]): Promise<{ subject: string; jobId: string }> {
  const subject = await addSubject(tenant)
  const answer = await tenant.post(invite(subject), emails)
  expect(answer.status).toBe(200)
  return { subject, jobId: answer.headers.get('location')?.split('/').at(-1) ?? '' }
}
const mailOf = async (recipient: string) =>
  (await mailsOf(platform, tenant.tenantKey)).find(mail => mail.recipient === recipient)
const recipients = () => mails.taken.map(({ recipient }) => recipient)
const tried = (recipient: string, times = 1) =>
  until(`${recipient} was tried`, async () => ((await mailOf(recipient))?.attempts ?? 0) >= times)

test('a mail arrives over TLS with a login, with its headers and its text, and is sent', async () => {
  await mails.open()
  const { jobId } = await invited('Ben@example.org')
  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { sent: 1 } })
  const mail = await mailOf('Ben@example.org')
  expect(mail).toMatchObject({ state: 'sent', attempts: 1, reason: null, sentAt: expect.stringMatching(/Z$/) })
  expect(mails.taken).toEqual([
    {
      recipient: 'Ben@example.org',
      sender: 'no-reply@armature.example',
      secure: true,
      headers: expect.objectContaining({
        from: 'Armature <no-reply@armature.example>',
        to: 'Ben@example.org',
        subject: `Invitation to the portal of ${tenant.tenantKey}`,
        'message-id': `<${mail?.id}@armature.example>`,
        'auto-submitted': 'auto-generated',
        date: expect.any(String),
        'content-type': expect.stringMatching(/^text\/plain; charset=utf-8/),
      }),
      body: expect.any(String),
    },
  ])
  expect(mails.taken[0]?.body.trim()).toBe(mail?.text.trim())
})

test('while the mail server is away an invitation is answered 200, and its mail is sent when it is back', async () => {
  const { jobId } = await invited('later@example.org')
  await tried('later@example.org', 2)
  expect(await mailOf('later@example.org')).toMatchObject({ state: 'queued', reason: 'SMTP ECONNREFUSED at CONN' })
  await mails.open()
  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { sent: 1 } })
  expect(recipients()).toEqual(['later@example.org'])
  expect(await mailOf('later@example.org')).toMatchObject({ state: 'sent', reason: null })
})

test('a mail server that accepts connections and says nothing is given up and tried again', async () => {
  const { port } = new URL(mails.url)
  const silent = createServer(() => undefined)
  const sockets = new Set<{ destroy(): void }>()
  silent.on('connection', socket => sockets.add(socket))
  await new Promise<void>(resolve => silent.listen(Number(port), '127.0.0.1', resolve))
  const { jobId } = await invited('silence@example.org')
  await tried('silence@example.org')
  expect(await mailOf('silence@example.org')).toMatchObject({ reason: 'SMTP ETIMEDOUT at CONN' })
  for (const socket of sockets) socket.destroy()
  await new Promise(resolve => silent.close(resolve))
  await mails.open()
  expect(await ended(tenant, jobId)).toMatchObject({ counts: { sent: 1 } })
  expect(recipients()).toEqual(['silence@example.org'])
})

test('a mail server that takes longer than a heartbeat timeout gets each mail once', async () => {
  let begun = 0
  mails.before = () => {
    begun++
    return new Promise(resolve => setTimeout(resolve, 13_000))
  }
  await mails.open()
  const { jobId } = await invited('slow@example.org')
  expect(await ended(tenant, jobId)).toMatchObject({ counts: { sent: 1 } })
  expect(recipients()).toEqual(['slow@example.org'])
  expect(begun).toBe(1)
  expect(await mailOf('slow@example.org')).toMatchObject({ attempts: 1 })
})

test('a recipient refused with 5xx fails for good, with a reason that names nobody, and the others get theirs', async () => {
  mails.refuse = recipient => (recipient.startsWith('gone') ? 550 : undefined)
  await mails.open()
  const { jobId } = await invited('a@example.org', 'gone@example.org', 'b@example.org')
  expect(await ended(tenant, jobId)).toMatchObject({
    status: 'Completed',
    progress: { done: 3, total: 3 },
    counts: { sent: 2, failed: 1 },
  })
  expect(recipients()).toEqual(['a@example.org', 'b@example.org'])
  expect(await mailOf('gone@example.org')).toMatchObject({
    state: 'failed',
    reason: 'SMTP 550 at RCPT TO',
    attempts: 1,
  })
})

test('a mailbox that answers 4xx is tried until it accepts the mail, and delays no other mail', async () => {
  let refusals = 0
  mails.refuse = recipient => (recipient.startsWith('full') && refusals++ < 3 ? 452 : undefined)
  await mails.open()
  const { jobId } = await invited('full@example.org', 'c@example.org', 'd@example.org')
  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { sent: 3 } })
  expect(recipients()).toEqual(['c@example.org', 'd@example.org', 'full@example.org'])
  expect(await mailOf('full@example.org')).toMatchObject({ state: 'sent', attempts: 4 })
})

test('a mail of an invitation that is removed before is not sent', async () => {
  const { subject, jobId } = await invited('stays@example.org', 'goes@example.org')
  await tried('stays@example.org')
  expect((await tenant.delete(uninvite(subject, 'GOES@example.org'))).status).toBe(200)
  await mails.open()
  expect(await ended(tenant, jobId)).toMatchObject({
    progress: { done: 2, total: 2 },
    counts: { sent: 1, withdrawn: 1 },
  })
  expect(recipients()).toEqual(['stays@example.org'])
  expect(await mailOf('goes@example.org')).toMatchObject({ state: 'withdrawn', sentAt: null })
})

test('a job that is cancelled sends no more mails, and sends the rest when it is retried', async () => {
  const { jobId } = await invited('e@example.org', 'f@example.org')
  await tried('e@example.org')
  await tenant.post(`/api/v1/jobs/${jobId}/cancel`)
  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Cancelled' })
  await mails.open()
  const { jobId: next } = await invited('g@example.org')
  await ended(tenant, next)
  expect(recipients()).toEqual(['g@example.org'])
  expect((await tenant.post(`/api/v1/jobs/${jobId}/retry`)).status).toBe(202)
  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { sent: 2 } })
  expect(recipients().slice(1).sort()).toEqual(['e@example.org', 'f@example.org'])
})

test('operators end a job of mails in the Temporal UI: a retry sends the mail, and a reset goes on', async () => {
  const db = connect(stack.databaseUrl, { poolSize: 1 })
  const { client, close } = await temporalClient(stack.temporalAddress, stack.encryptionKey)
  const { age, reset, runOf } = operatorOf(client, db)
  const jobs = { terminated: '', cancelled: '', again: '' }
  for (const name of ['terminated', 'cancelled', 'again'] as const) {
    jobs[name] = (await invited(`${name}@example.org`)).jobId
    await tried(`${name}@example.org`)
  }
  await (await runOf(jobs.terminated)).handle.terminate('enough')
  await age(jobs.terminated)
  await (await runOf(jobs.cancelled)).handle.cancel()
  await reset(jobs.again)
  expect(await ended(tenant, jobs.terminated)).toMatchObject({
    status: 'Failed',
    problem: { type: '/problems/run-ended', detail: expect.stringContaining('terminated') },
  })
  expect(await ended(tenant, jobs.cancelled)).toMatchObject({ status: 'Cancelled' })
  await mails.open()
  for (const jobId of [jobs.terminated, jobs.cancelled]) {
    expect((await tenant.post(`/api/v1/jobs/${jobId}/retry`)).status).toBe(202)
  }
  for (const jobId of Object.values(jobs)) {
    expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { sent: 1 } })
  }
  expect(recipients().sort()).toEqual(['again@example.org', 'cancelled@example.org', 'terminated@example.org'])
  await close()
  await db.destroy()
})

test('a worker that is killed again and again in the middle loses no mail, and repeats are known by their id', async () => {
  mails.before = () => new Promise(resolve => setTimeout(resolve, 40))
  await mails.open()
  const emails = Array.from({ length: 6 }, (_, job) =>
    Array.from({ length: 15 }, (_, n) => `kill${job}-${n}@example.org`),
  )
  const jobs = await Promise.all(emails.map(list => invited(...list)))
  for (const part of [10, 35, 60]) {
    await until(`${part} mails are taken`, async () => mails.taken.length >= part)
    const killed = signal(stack.worker, 'SIGKILL')
    await until('the worker is back', async () => stack.worker.pid !== undefined && stack.worker.pid !== killed)
  }
  for (const { jobId } of jobs) {
    const job = await ended(tenant, jobId)
    expect(job).toMatchObject({ status: 'Completed', progress: { done: 15, total: 15 }, counts: { sent: 15 } })
  }
  expect([...new Set(recipients())].sort()).toEqual(emails.flat().sort())
  const idOf = new Map((await mailsOf(platform, tenant.tenantKey)).map(({ recipient, id }) => [recipient, id]))
  const strangers = mails.taken.filter(
    ({ recipient, headers }) => headers['message-id'] !== `<${idOf.get(recipient)}@armature.example>`,
  )
  expect(strangers).toEqual([])
  // At each kill, at most the mails in the air, one for each of 6 jobs, come twice.
  expect(mails.taken.length - 90).toBeLessThanOrEqual(18)
})

test('an invitation while Temporal is away stays accepted, and its mail is sent when it is back', async () => {
  await mails.open()
  signal(stack.temporal, 'SIGSTOP')
  const { jobId } = await invited('without-temporal@example.org')
  expect(recipients()).toEqual([])
  signal(stack.temporal, 'SIGCONT')
  await stack.ready()
  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { sent: 1 } })
  expect(recipients()).toEqual(['without-temporal@example.org'])
})

test('a mail is forgotten with its job', async () => {
  await mails.open()
  const { jobId } = await invited('forgotten@example.org')
  await ended(tenant, jobId)
  const db = connect(stack.databaseUrl, { poolSize: 1 })
  const longAgo = new Date('2020-01-01')
  await db('jobs').where({ id: jobId }).update({ accepted_at: longAgo, finished_at: longAgo })
  await db.destroy()
  const { client, close } = await temporalClient(stack.temporalAddress, stack.encryptionKey)
  await forgetNow(client)
  await close()
  expect(await mailOf('forgotten@example.org')).toBeUndefined()
  expect((await tenant.get(`/api/v1/jobs/${jobId}`)).status).toBe(404)
})

test('no address reaches a log, Temporal or what a job says, whatever happened to its mail', async () => {
  for (const program of [stack.api, stack.worker]) {
    const log = readFileSync(program.logFile, 'utf8')
    expect(log).toContain('portalInvitation')
    expect(log).not.toMatch(/@example\.org|mail-secret/i)
  }
  const { client, close } = await temporalClient(stack.temporalAddress, stack.encryptionKey)
  const { body } = await tenant.get<{ Edges: { Node: Parameters<typeof everythingTemporalHolds>[1] }[] }>(
    '/api/v1/jobs?First=100',
  )
  expect(body.Edges.length).toBeGreaterThan(10)
  for (const { Node: job } of body.Edges) {
    const held = await everythingTemporalHolds(client, job)
    expect(held).toContain(job.jobId)
    expect(held).not.toMatch(/@example\.org|Lovelace|portal\.example/i)
  }
  expect(JSON.stringify(body)).not.toMatch(/@example\.org/i)
  await close()
})
