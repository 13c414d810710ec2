// Traces of delivered forms.
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { aSmallTemplate, launchTenant } from '../support/factories.js'
import { ended } from '../support/faults.js'
import { temporalClient } from '../support/jobs.js'
import { form, hidden, page, referenceOf, smallForm } from '../support/launches.js'
import { heldOfRuns, markersIn, markersInFiles } from '../support/sealed.js'

const marker = (what: string) => `marker-${what}-${randomBytes(8).toString('hex')}`

test('nothing is left of a form that has arrived, and answers, tokens and files of one on its way are sealed', async () => {
  const [answer, token, wrong, other] = ['answer', 'token', 'wrong', 'other'].map(marker)
  const file = randomBytes(60)
  const controls = [
    { id: 'note', label: 'Note' },
    { id: 'count', label: 'Count', dataType: 'integer' },
    { id: 'photo', label: 'Photo', dataType: 'data-url' },
  ]
  const tenant = await launchTenant([aSmallTemplate(controls)])
  const path = tenant.path('small', 1)
  const opened = await page(`${path}/launch`, smallForm(['token', String(token)]))
  const ticket = hidden(opened.text, 'ticket')
  const send = (note: string, more: [string, string][] = []) => {
    const { body, ...init } = form(['ticket', ticket], ['note', note], ...more)
    if (body instanceof FormData) body.append('photo', new Blob([file], { type: 'image/png' }), 'photo.png')
    return page(path, { ...init, body: body ?? null })
  }
  tenant.endpoint.answers(503)
  expect((await send(String(wrong), [['count', 'none']])).status).toBe(400)
  const sent = await send(String(answer))
  expect(sent.status).toBe(303)
  expect((await send(String(other))).status).toBe(409)

  const db = connect(inject('databaseUrl'), { poolSize: 1 })
  const mine = { idempotency_key: referenceOf(sent) }
  const job = await db('jobs').where(mine).first('id')
  const kept = () => db('form_deliveries').where({ job_id: job.id })
  const markers = [answer, token, wrong, other, file.toString('base64')].map(String)
  expect(markersIn(Buffer.from(JSON.stringify(await kept())), markers)).toEqual([])
  expect(await kept()).toHaveLength(1)

  tenant.endpoint.answers(204)
  const { xml } = await tenant.endpoint.of(referenceOf(sent))
  expect(markersIn(Buffer.from(xml), markers)).toEqual([answer, token, file.toString('base64')])
  await ended(tenant, job.id)
  expect(await kept()).toEqual([])
  expect(markersIn(Buffer.from(JSON.stringify(await db('jobs').where(mine))), markers)).toEqual([])
  await db.destroy()

  const { client, close } = await temporalClient(inject('temporalAddress'), inject('encryptionKey'))
  const runs = await heldOfRuns(client, `TenantKey = '${tenant.tenantKey}'`)
  await close()
  expect(runs.opened).toContain(`"jobId":"${job.id}"`)
  expect(markersIn(Buffer.from(runs.opened), markers)).toEqual([])
  expect(await markersInFiles(inject('dataDir'), markers)).toEqual([])
  expect(await inLogs(job.id, ...markers)).toEqual([job.id])
  await tenant.endpoint.stop()
})

/** Which of these stand in the logs of the stack. */
async function inLogs(...markers: string[]): Promise<string[]> {
  const directory = join(inject('dataDir'), 'logs')
  const logs = await Promise.all((await readdir(directory)).map(name => readFile(join(directory, name))))
  return markersIn(Buffer.concat(logs), markers)
}
