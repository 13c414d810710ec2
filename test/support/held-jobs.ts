// Starts a job of each shape and blocks it in the middle of its work.
import type { Knex } from 'knex'
import { inject } from 'vitest'
import { chunkItems } from '../../db/jobs/chunks.js'
import type { Api } from './api.js'
import { changePaths, gate, points, refreshPath, scriptedGlue, scriptedProvider } from './data-sets.js'
import { type ExtractBody, extractPath, holdExtracts } from './extracts.js'
import {
  aSmallTemplate,
  dataTenant,
  formAsked,
  launchTenant,
  notesTenant,
  point,
  tenantWithPlaces,
  tenantWithWards,
  whole,
} from './factories.js'
import { acceptBulk, type JobBody } from './faults.js'
import { place } from './hierarchy-model.js'
import { holdHierarchy } from './jobs.js'
import { form, page, referenceOf } from './launches.js'
import { holdLocation, seedLocations, subjectId } from './locations.js'
import { differences } from './transfer-faults.js'
import { startTransfer } from './transfers.js'
import { until } from './until.js'

/** A running job that is blocked in the middle of its work. */
export interface Held {
  tenant: Api
  jobId: string
  release(): unknown
  /** Returns the differences between what the completed job wrote and what it should have written. */
  wrong(): Promise<unknown>
}

const later = { prefer: 'respond-async' }

/**
 * Returns functions that each start a job of one shape on the shared stack and block it.
 * @param stops receives functions that stop the providers of these jobs.
 */
export function heldJobs(db: Knex, stops: (() => Promise<void>)[]) {
  async function bulk(): Promise<Held> {
    const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
    const batch = Array.from({ length: 8 * chunkItems }, (_, n) => place(`p${n}`))
    model.apply(batch)
    const { jobId } = await acceptBulk(tenant, batch)
    await until('a chunk is written', async () => (await db('jobs').where({ id: jobId }).first('done')).done > 0)
    const { release } = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
    return { tenant, jobId, release, wrong: () => model.differences(db, tenant.tenantKey) }
  }

  async function transfer(): Promise<Held> {
    const tenant = await tenantWithWards(inject('baseUrl'), 'east', 'west')
    const count = 20_000
    await seedLocations(db, tenant.tenantKey, 'east', { count })
    const { release } = await holdLocation(db, tenant.tenantKey, 'east', subjectId(count - 1))
    const { jobId } = await startTransfer(tenant, 'east', 'west', 'Move')
    await until('a page is moved', async () => (await db('jobs').where({ id: jobId }).first('done')).done > 0)
    return {
      tenant,
      jobId,
      release,
      wrong: () => differences(db, tenant.tenantKey, { east: { count: 0 }, west: { count } }),
    }
  }

  async function refresh(): Promise<Held> {
    const provider = await scriptedProvider()
    stops.push(provider.stop)
    const tenant = await dataTenant(scriptedGlue(provider.url), ['ada'])
    const all = ['a', 'b', 'c', 'd', 'e', 'f'].map(id => point(id, 'ada'))
    const { passed, open, reached, arrive } = gate()
    provider.says(async ({ cursor }) => {
      const from = Number(cursor ?? 0)
      if (from === 4) {
        arrive()
        await passed
      }
      return { dataPoints: all.slice(from, from + 2), ...(from < 4 ? { next: String(from + 2) } : {}) }
    })
    const { body } = await tenant.post<JobBody>(refreshPath(), undefined, later)
    await reached
    return {
      tenant,
      jobId: body.jobId,
      release: open,
      wrong: async () => ((await points(tenant)).map(({ Id }) => Id).join() === 'a,b,c,d,e,f' ? [] : points(tenant)),
    }
  }

  async function change(): Promise<Held> {
    const provider = await scriptedProvider()
    stops.push(provider.stop)
    const glue = scriptedGlue(provider.url, { by: ['subject'], extracts: { register: { kind: 'all' } } })
    const tenant = await dataTenant(glue, ['ada'])
    const { passed, open, reached, arrive } = gate()
    provider.says(async () => {
      arrive()
      await passed
      return { dataPoints: [point('a', 'ada')] }
    })
    const { body } = await tenant.provider.post<{ JobId: string }>(changePaths.created, {
      SubjectIdentifier: 'ada',
      DataExtractsOptionsValuesFilter: { kind: 'all' },
      NewOrUpdateddataPoints: [point('a', 'ada')],
    })
    await reached
    return {
      tenant,
      jobId: body.JobId,
      release: open,
      wrong: async () => ((await points(tenant)).map(({ Id }) => Id).join() === 'a' ? [] : points(tenant)),
    }
  }

  async function extract(): Promise<Held> {
    const { tenant, patient } = await notesTenant()
    const guid = await patient.created()
    await patient.submit(guid, whole)
    const { release } = await holdExtracts(inject('databaseUrl'), tenant.tenantKey)
    const definitions = [formAsked('small'), formAsked('small', { identifier: 'again' })]
    const { body } = await tenant.forms.post<JobBody & { links: { result: string } }>(
      extractPath,
      { definitions },
      later,
    )
    return {
      tenant: tenant.forms,
      jobId: body.jobId,
      release,
      async wrong() {
        const { results } = (await tenant.forms.get<ExtractBody>(body.links.result)).body
        const ids = results.map(each => each.results.map(({ instanceGuid }) => instanceGuid))
        return JSON.stringify(ids) === JSON.stringify([[guid], [guid]]) ? [] : ids
      },
    }
  }

  async function delivery(): Promise<Held> {
    const tenant = await launchTenant([aSmallTemplate([{ id: 'note', label: 'Note', required: true }])])
    stops.push(tenant.endpoint.stop)
    tenant.endpoint.answers(503)
    const reference = referenceOf(await page(tenant.path('small', 1), form(['note', 'x'])))
    await until('it is tried', async () => tenant.endpoint.tried.length > 0)
    const { id } = await db('jobs').where({ idempotency_key: reference }).first('id')
    return {
      tenant,
      jobId: String(id),
      release: () => tenant.endpoint.answers(204),
      wrong: async () =>
        tenant.endpoint.arrived.map(({ key }) => key).join() === reference ? [] : tenant.endpoint.arrived,
    }
  }

  return { bulk, transfer, refresh, change, extract, delivery }
}
