// Texts of subjects in Temporal and logs.
import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { api } from '../support/api.js'
import { addPerson, openDatabase, plantWards, subjectTenant, value } from '../support/factories.js'
import { imported } from '../support/imports.js'
import { everythingTemporalHolds, openTemporal } from '../support/jobs.js'
import { startOwnApp } from '../support/own-app.js'
import { bulkPath, patch, person, subjectsPath, texts, type WrittenSubject } from '../support/subjects.js'

const db = openDatabase()
const temporal = await openTemporal()

const secrets = ['Secretgiven', 'Secretfamily', 'Secretmail', 'secret-number', 'Secretlanguage']
const secretPerson = (n: number) =>
  person(
    `secret-number-${n}`,
    { givenName: 'Secretgiven', familyName: 'Secretfamily', email: 'Secretmail', languages: ['Secretlanguage'] },
    ['ward'],
  )

test('a bulk of subjects makes no job, and the answer stored for its key has ids only', async () => {
  const tenant = await subjectTenant()
  await plantWards(tenant, 'ward')
  await addPerson(tenant, 'secret-number-0')
  const batch = Array.from({ length: 20 }, (_, n) => secretPerson(n))
  const { status, body } = await tenant.post<WrittenSubject[]>(bulkPath, batch, { 'idempotency-key': randomUUID() })
  expect(status).toBe(200)
  const tenant_id = await tenantIdOf(db, tenant.tenantKey)
  expect(await db('jobs').where({ tenant_id })).toEqual([])
  const kept = JSON.stringify(await db('idempotent_answers').where({ tenant_id }))
  for (const { internalId } of body) expect(kept).toContain(internalId)
  for (const secret of [...secrets, 'nationalId']) expect(kept).not.toContain(secret)
})

test('neither Temporal nor the job of an import has the content of its rows, not even of refused ones', async () => {
  const tenant = await subjectTenant()
  const rows = [
    'secret-number-1,Secretgiven,Secretfamily,',
    'secret-number-2,,Secretfamily,Secretmail',
    'secret-number-3',
  ]
  const job = await imported(tenant, ['nationalId,givenName,familyName,email', ...rows].join('\n'))
  expect(job.counts).toMatchObject({ created: 1, refused: 2 })
  const held = await everythingTemporalHolds(temporal, job)
  expect(held).toContain(`"jobId":"${job.jobId}"`)
  const kept = JSON.stringify(await db('jobs').where({ id: job.jobId }))
  for (const secret of secrets) expect(held + kept).not.toContain(secret)
})

test('no log line holds what subjects are called, in requests that succeed and that are refused', async () => {
  const tenant = await subjectTenant()
  await plantWards(tenant, 'ward')
  const id = await addPerson(tenant, 'taken')
  const own = await startOwnApp(inject('databaseUrl'))
  try {
    const claims = { sub: `${tenant.tenantKey}-0`, client_id: `${tenant.tenantKey}-0`, tenant_key: tenant.tenantKey }
    const client = api(own.baseUrl, await own.issuer.token({ ...claims, scope: 'FrameApi' }))
    const body = secretPerson(1)
    const wrong = value('dateOfBirth', 'Date', 'Secretdate')
    const filter = `customFieldValueFilter.values[nationalId]=secret-number-1`
    const statuses = [
      await client.post(subjectsPath, body),
      await client.post(subjectsPath, body),
      await client.post(subjectsPath, { CustomFieldValues: [...body.CustomFieldValues, wrong] }),
      await patch(client, id, texts({ email: 'Secretmail' })),
      await patch(client, id, texts({ nationalId: 'secret-number-1' })),
      await client.get(`${subjectsPath}?${filter}`),
      await client.get(`${subjectsPath}?${filter}&SearchTerm=Secretfamily`),
      await client.post(bulkPath, [body]),
    ].map(({ status }) => status)
    expect(statuses).toEqual([201, 200, 400, 200, 409, 200, 400, 200])
    const lines = own.lines.join('')
    expect(lines).toContain(subjectsPath)
    for (const secret of [...secrets, 'Secretdate', 'taken']) expect(lines).not.toContain(secret)
  } finally {
    await own.stop()
  }
})
