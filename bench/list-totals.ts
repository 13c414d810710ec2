// Measures lists with their totals by the number of matches.
import type { Knex } from 'knex'
import { createPool, type RowDataPacket } from 'mysql2/promise'
import { connect } from '../db/connect.js'
import { insertRows } from '../db/rows.js'
import { newId } from '../runtime/ids.js'
import { newTenant, type Tenant } from '../test/support/api.js'
import { anEntity, aType } from '../test/support/factories.js'
import { demoSubjects } from '../test/support/manifest.js'
import type { Stack } from '../test/support/stack.js'
import { line, median, thousands } from './measure.js'

/** Wards by key with their people: of one, of two and of thirty each list has 1,000, 7,000 or 100,000. */
const wards = { small: 1_000, left: 3_500, right: 3_500 }
const regionWards = 20
const perRegionWard = 5_000

/**
 * Pages of 20 with their totals: while nothing changes, and with a write before each. The floor is a pool's page and count by hand in this
 * process.
 */
export async function benchListTotals(stack: Stack, short: boolean): Promise<void> {
  const calls = short ? 20 : 300
  const db = connect(stack.databaseUrl, { poolSize: 1, silenceMs: 600_000 })
  try {
    console.log('A page of 20 with its total, beside page and count by hand…')
    const { tenant, tenantId, someone } = await filled(stack, db)
    const floor = floorOf(stack.databaseUrl, tenantId)
    const region = Array.from({ length: regionWards }, (_, n) => `region-${n}`)
    const lists: [matches: number, what: string, query: string, keys: string[]][] = [
      [1_000, 'one ward', 'StructuralEntityKeys=small', ['small']],
      [7_000, 'two wards', 'StructuralEntityKeys=left&StructuralEntityKeys=right', ['left', 'right']],
      [100_000, 'a region', 'StructuralEntityKeys=region&IncludeDescendants=true', region],
      [108_000, 'everybody', '', []],
    ]
    try {
      for (const [matches, what, query, keys] of lists) {
        const path = `/api/v2/subject?First=20&${query}`
        const read = async () => {
          const { body } = await tenant.get<{ PageInfo: { TotalCount: number } }>(path)
          if (body.PageInfo.TotalCount !== matches) throw new Error(JSON.stringify(body).slice(0, 500))
        }
        const [quiet, busy, bare] = [[], [], []] as [number[], number[], number[]]
        for (let n = 0; n < calls; n++) {
          await touch(tenant, someone, n)
          busy.push(await timed(read))
          quiet.push(await timed(read))
          bare.push(await timed(() => floor.read(keys)))
        }
        const ms = (times: number[]) => `${median(times).toFixed(1)} ms`
        const ratio = (times: number[]) => (median(times) / median(bare)).toFixed(2)
        line(`  ${thousands(matches)} in ${what}`, ms(quiet), ms(bare), ratio(quiet), '100,000: ≤ 2 × 1,000')
        line('    after a write', ms(busy), ms(bare), ratio(busy), '')
      }
    } finally {
      await floor.stop()
    }
  } finally {
    await db.destroy()
  }
}

async function filled(stack: Stack, db: Knex): Promise<{ tenant: Tenant; tenantId: number; someone: string }> {
  const tenant = await newTenant(stack.baseUrl, {}, { subjects: demoSubjects })
  const { id: tenantId } = await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')
  await tenant.put('/api/v1/structureType', aType('unit'))
  const sizes = [
    ...Object.entries(wards),
    ...Array.from({ length: regionWards }, (_, n) => [`region-${n}`, perRegionWard] as const),
  ]
  const entities = sizes.map(([key]) => anEntity(key, key.startsWith('region-') ? { ParentKey: 'region' } : {}))
  await tenant.put('/api/v1/structuralEntity/bulk', [anEntity('region'), anEntity('aside'), ...entities])
  const places = sizes.flatMap(([key, size]) => Array.from({ length: size }, () => key))
  const now = new Date()
  for (let from = 0; from < places.length; from += 5_000) {
    const some = places.slice(from, from + 5_000).map(key => ({ key, id: newId() }))
    const columns = ['tenant_id', 'id', 'external_id', 'custom_values', 'created_at', 'updated_at']
    const rows = some.map(({ id }) => [tenantId, id, newId(), aPersonsValues, now, now])
    await insertRows(db, 'subjects', columns, rows)
    const at = some.map(({ key, id }) => [tenantId, key, id])
    await insertRows(db, 'subject_locations', ['tenant_id', 'entity_key', 'subject_id'], at)
  }
  await db.raw('ANALYZE TABLE subjects, subject_locations')
  const [someone] = await db('subjects').where({ tenant_id: tenantId }).orderBy('id').limit(1).pluck('id')
  return { tenant, tenantId, someone }
}

/** As long as those of a person with six values. */
const aPersonsValues = JSON.stringify({ familyName: ['String', 'x'.repeat(300)] })

/** Moves a subject to and fro, which changes no total that is read. */
async function touch(tenant: Tenant, id: string, n: number): Promise<void> {
  const path = `/api/v1/subject/${id}/structuralEntities`
  const { status } = n % 2 ? await tenant.delete(`${path}?keys=aside`) : await tenant.put(path, { keys: ['aside'] })
  if (status !== 204) throw new Error(`A write was answered with ${status}`)
}

function floorOf(databaseUrl: string, tenantId: number) {
  const pool = createPool({ uri: databaseUrl, connectionLimit: 2, charset: 'utf8mb4' })
  const values = 'SELECT s.id, s.external_id, s.custom_values FROM subjects s WHERE s.tenant_id = ?'
  const inWards = 'FROM subject_locations WHERE tenant_id = ? AND entity_key IN (?)'
  return {
    async read(keys: string[]): Promise<void> {
      if (keys.length === 0)
        await Promise.all([
          pool.query<RowDataPacket[]>(`${values} ORDER BY id LIMIT 21`, [tenantId]),
          pool.query<RowDataPacket[]>('SELECT COUNT(*) FROM subjects WHERE tenant_id = ?', [tenantId]),
        ])
      else
        await Promise.all([
          pool.query<RowDataPacket[]>(
            `SELECT s.id, s.external_id, s.custom_values FROM (
               ${keys.map(() => '(SELECT subject_id FROM subject_locations WHERE tenant_id = ? AND entity_key = ? ORDER BY subject_id LIMIT 21)').join(' UNION ')}
               ORDER BY subject_id LIMIT 21) p JOIN subjects s ON s.tenant_id = ? AND s.id = p.subject_id`,
            [...keys.flatMap(key => [tenantId, key]), tenantId],
          ),
          pool.query<RowDataPacket[]>(`SELECT COUNT(DISTINCT subject_id) ${inWards}`, [tenantId, keys]),
        ])
    },
    stop: () => pool.end(),
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
