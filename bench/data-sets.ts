// Measures refreshes of data sets, and data changes.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise'
import { migrate } from '../db/migrate.js'
import { demoProviderClient } from '../dev/demo-glue.js'
import { newId } from '../runtime/ids.js'
import type { Api } from '../test/support/api.js'
import type { Stack } from '../test/support/stack.js'
import { line, median, memory, scratchUrl, thousands } from './measure.js'
import { benchProvider } from './provider.js'

type Provider = Awaited<ReturnType<typeof benchProvider>>
const pageSize = 500

/** Measures fetching a whole data set, and single changes of it. */
export async function benchDataSets(stack: Stack, short: boolean): Promise<void> {
  const rows = short ? 5_000 : 100_000
  console.log(`Refresh of a data set of ${thousands(rows)} rows in pages of ${pageSize}…`)
  const provider = await benchProvider(stack, rows)
  try {
    const ours: number[] = []
    const floor: number[] = []
    const before = memory(stack.worker.pid, 'VmRSS')
    for (let round = 0; round < (short ? 1 : 5); round++) {
      floor.push(await bareLoop(stack.databaseUrl, provider))
      ours.push(await refresh(provider, rows))
    }
    const perSecond = (ms: number) => `${thousands((rows * 1000) / ms)}/s`
    line('  rows', perSecond(median(ours)), perSecond(median(floor)), ratio(floor, ours), '≥ 0.50')
    const grown = memory(stack.worker.pid, 'VmHWM') - before
    line('  worker above its memory before', `${grown.toFixed(0)} MB`, '', '', '< 150 MB')

    console.log('A data change with one point…')
    const client = await provider.tenant.client([], ['FrameGlueDataProviderApi'])
    const change = await measureChanges(stack, provider, client, short ? 30 : 500)
    const ms = (value: number) => `${value.toFixed(1)} ms`
    line('  p50', ms(median(change.ours)), ms(median(change.floor)), ratio(change.ours, change.floor), '≤ 3')
    const crowd = await manyAtOnce(provider, client, 200, short ? 2 : 10)
    line('  200 clients at once', `${thousands(crowd.perSecond)}/s`, '', '', 'none lost (checked)')
    line('  answers "busy", sent again', thousands(crowd.refused), '', '', '')
  } finally {
    await provider.stop()
  }
}

const ratio = (above: number[], below: number[]) => (median(above) / median(below)).toFixed(2)

/** Refreshes the data set. @returns ms from request to answer */
async function refresh({ tenant }: Provider, rows: number): Promise<number> {
  const started = performance.now()
  const { status, body } = await tenant.post<{ rows: number }>('/api/v1/dataSet/vaccinations/refresh')
  if (status !== 200 || body.rows !== rows) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return performance.now() - started
}

/** Without `bytes`, which the database makes. */
const pointColumns = '(tenant_id, extract_key, snapshot, subject_id, point_id, subject_identifier, items)'

/**
 * Fetches the same pages one after another and inserts each by one statement into a table like ours, as the floor.
 * @returns ms
 */
async function bareLoop(databaseUrl: string, { url, people }: Provider): Promise<number> {
  const database = scratchUrl(databaseUrl, 'floor')
  await migrate(database)
  const connection = await createConnection(database)
  await connection.query('TRUNCATE data_points')
  const ids = new Map(people.map(person => [person, newId()]))
  const headers = { authorization: `Bearer ${await tokenOf(url)}` }
  const started = performance.now()
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page = await fetch(`${url}/vaccinations?as=dataPoints&size=${pageSize}&cursor=${cursor}`, { headers })
    const { dataPoints, next }: Page = JSON.parse(await page.text())
    const rows = dataPoints.map(({ Id, SubjectIdentifier, DataPointItems }) => [
      1,
      'vaccinations',
      1,
      ids.get(SubjectIdentifier),
      Id,
      SubjectIdentifier,
      JSON.stringify(DataPointItems),
    ])
    await connection.query(`INSERT INTO data_points ${pointColumns} VALUES ?`, [rows])
    cursor = next
  }
  const took = performance.now() - started
  await connection.end()
  return took
}

interface Page {
  dataPoints: { Id: string; SubjectIdentifier: string; DataPointItems: object[] }[]
  next?: string
}

async function tokenOf(url: string): Promise<string> {
  const { id, secret } = demoProviderClient
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'vaccinations' })
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
  const answer = await fetch(`${url}/token`, { method: 'POST', body, headers: { authorization } })
  return JSON.parse(await answer.text()).access_token
}

const items = [{ Key: 'lot', Value: { DataType: 'String', Value: 'bench' } }]
const changePath = '/glue-dataprovider/api/v1/dataChange/creationOrUpdate'

const changeOf = (person: string, id: string) => ({
  SubjectIdentifier: person,
  DataExtractsOptionsValuesFilter: { all: true },
  NewOrUpdatedDataPoints: [{ Id: id, SubjectIdentifier: person, DataPointItems: items }],
})

/**
 * Times changes one after another, each of a different subject, and the same statements by hand. @returns ms of each
 */
async function measureChanges({ databaseUrl }: Stack, { tenant, people }: Provider, client: Api, calls: number) {
  const connection = await createConnection({ uri: databaseUrl, charset: 'utf8mb4' })
  const [[row]] = await connection.query<RowDataPacket[]>('SELECT id FROM tenants WHERE tenant_key = ?', [
    tenant.tenantKey,
  ])
  const times = { ours: [] as number[], floor: [] as number[] }
  for (let call = -20; call < calls; call++) {
    const person = people[(call + 20) % people.length] ?? ''
    const started = performance.now()
    const { status, body } = await client.post(changePath, changeOf(person, `bench-${call}`))
    const ours = performance.now() - started
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
    const floor = await byHand(connection, Number(row?.id), person)
    if (call < 0) continue
    times.ours.push(ours)
    times.floor.push(floor)
  }
  await connection.end()
  return times
}

/** Executes what a change locks, looks up and writes by hand in one transaction, as the floor. @returns ms */
async function byHand(connection: Connection, tenant: number, person: string): Promise<number> {
  const id = newId()
  const now = new Date()
  const started = performance.now()
  await connection.beginTransaction()
  await connection.query('SELECT settings FROM glue_settings WHERE tenant_id = ?', [tenant])
  const [[subject]] = await connection.query<RowDataPacket[]>(
    "SELECT subject_id FROM subject_values WHERE tenant_id = ? AND value_hash = UNHEX(LEFT(SHA2(CONCAT('nationalId', CHAR(0), ?), 256), 32))",
    [tenant, person],
  )
  const subjectId = subject?.subject_id
  await connection.query(
    'INSERT INTO data_change_jobs VALUES (?, ?, NULL) ON DUPLICATE KEY UPDATE tenant_id = tenant_id',
    [tenant, subjectId],
  )
  await connection.query('SELECT job_id FROM data_change_jobs WHERE tenant_id = ? AND subject_id = ? FOR UPDATE', [
    tenant,
    subjectId,
  ])
  await connection.query(
    `INSERT INTO jobs (tenant_id, id, kind, status, queue, actor, workflow_id, trace_id, total, counts, accepted_at)
     VALUES (?, ?, 'dataChange', 'Cancelled', 'background', 'bench', ?, ?, 1, '{}', ?)`,
    [tenant, id, id, id, now],
  )
  await connection.query('UPDATE data_change_jobs SET job_id = ? WHERE tenant_id = ? AND subject_id = ?', [
    id,
    tenant,
    subjectId,
  ])
  await connection.query("SELECT snapshot FROM data_sets WHERE tenant_id = ? AND extract_key = 'bench' FOR UPDATE", [
    tenant,
  ])
  await connection.query(`INSERT INTO data_points ${pointColumns} VALUES ?`, [
    [[tenant, 'bench', 0, subjectId, id, person, JSON.stringify(items)]],
  ])
  await connection.query("UPDATE data_sets SET issued = issued + 1 WHERE tenant_id = ? AND extract_key = 'bench'", [
    tenant,
  ])
  await connection.query(
    'INSERT INTO data_set_changes VALUES (?, ?, ?, 1, 1, 1, ?, NULL, NULL, NULL) ON DUPLICATE KEY UPDATE ticket = 1',
    [tenant, 'bench', subjectId, person],
  )
  await connection.commit()
  return performance.now() - started
}

/**
 * Sends changes by many clients at once, each changing one subject. A change that is answered "busy" (503) is sent
 * again. In the end nothing may be lost: all changes are processed, and the number of rows matches the provider's.
 * @returns changes per second, and the number of "busy" answers.
 */
async function manyAtOnce({ tenant, people, rows }: Provider, client: Api, clients: number, each: number) {
  const rowsPath = '/api/v1/dataSet/vaccinations/rows?first=1'
  let refused = 0
  async function change(caller: number, n: number): Promise<number> {
    const person = people[caller % people.length] ?? ''
    const { status, headers, body } = await client.post<Changed>(changePath, changeOf(person, `crowd-${caller}-${n}`))
    if (status === 200) return body.Generations.vaccinations
    const retryAfter = headers.get('retry-after')
    if (status !== 503 || retryAfter === null) throw new Error(`${status}: ${JSON.stringify(body)}`)
    refused++
    await sleep(Number(retryAfter) * 1_000)
    return change(caller, n)
  }

  const started = performance.now()
  const generations = await Promise.all(
    Array.from({ length: clients }, async (_, caller) => {
      let generation = 0
      for (let n = 0; n < each; n++) generation = await change(caller, n)
      return generation
    }),
  )
  const took = performance.now() - started
  const last = Math.max(...generations)
  for (;;) {
    const { status, body } = await tenant.get<Rows>(`${rowsPath}&minGeneration=${last}`)
    if (status === 503) continue
    const found = body.PageInfo.TotalCount
    if (found !== rows) throw new Error(`The data set has ${found} rows, the provider ${rows}`)
    return { perSecond: (clients * each * 1000) / took, refused }
  }
}

interface Changed {
  Generations: { vaccinations: number }
}
interface Rows {
  PageInfo: { TotalCount: number }
}
