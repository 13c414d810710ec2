// Measures the subject list against a bare route.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Api } from '../test/support/api.js'
import type { Page } from '../test/support/frame.js'
import type { SeededTenant } from '../test/support/seeded-tenant.js'
import { rate } from './calls.js'
import { percentile } from './measure.js'

export interface ListFigures {
  /**
   * Requests per second for a page of 20 subjects filtered by two entities, with its total count, and the same by the
   * bare route.
   */
  ours: number
  floor: number
  /** 99th percentile in ms, for each size of tenant. */
  p99: number
  p99Small: number
  /** Median ms of the first page of all subjects, and of the ten-thousandth (or last) one. */
  firstPage: number
  deepPage: number
  deep: number
}

const clients = 8

/** Measures the list of subjects against a bare route in a process of its own. */
export async function measureList(
  databaseUrl: string,
  large: SeededTenant,
  small: SeededTenant,
  calls: number,
): Promise<ListFigures> {
  const path = (tenant: SeededTenant) =>
    `/api/v2/subject?First=20&${tenant.entityKeys
      .slice(0, 2)
      .map(key => `StructuralEntityKeys=${key}`)
      .join('&')}`
  const floor = await floorRoute(databaseUrl, large)
  try {
    const bare = () => read(() => fetch(floor.url, { headers: { authorization: `Bearer ${large.token}` } }))
    const ours = (tenant: SeededTenant) => () => read(() => fetchOf(tenant, path(tenant)))
    const warm = Math.ceil(calls / 10)
    await rate({ calls: warm, clients }, bare)
    await rate({ calls: warm, clients }, ours(large))
    const floorRun = await rate({ calls, clients }, bare)
    const largeRun = await rate({ calls, clients }, ours(large))
    const smallRun = await rate({ calls, clients }, ours(small))
    const deep = Math.min(10_000, Math.floor(large.size / 20))
    const cursor = await cursorBefore(large, deep)
    const first = await alone(() => read(() => fetchOf(large, '/api/v2/subject?First=20')))
    const last = await alone(() => read(() => fetchOf(large, `/api/v2/subject?First=20&After=${cursor}`)))
    return {
      ours: largeRun.perSecond,
      floor: floorRun.perSecond,
      p99: percentile(largeRun.times, 99),
      p99Small: percentile(smallRun.times, 99),
      firstPage: percentile(first, 50),
      deepPage: percentile(last, 50),
      deep,
    }
  } finally {
    floor.stop()
  }
}

/** Requests a page without compression, because the floor has none. */
const fetchOf = (tenant: SeededTenant, path: string) =>
  fetch(new URL(path, tenant.baseUrl), {
    headers: { authorization: `Bearer ${tenant.token}`, 'accept-encoding': 'identity' },
  })

async function read(send: () => Promise<Response>): Promise<void> {
  const answer = await send()
  const page: Page<unknown> = JSON.parse(await answer.text())
  if (page.Edges?.length !== 20) throw new Error(`${answer.status}: ${JSON.stringify(page).slice(0, 500)}`)
}

async function alone(call: () => Promise<void>): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < 10; n++) {
    const begun = performance.now()
    await call()
    times.push(performance.now() - begun)
  }
  return times
}

/** Returns the cursor in front of the wanted page of 20, found by reading pages of 1,000. */
async function cursorBefore(tenant: Api, wanted: number): Promise<string> {
  let after = ''
  for (let left = (wanted - 1) * 20; left > 0; left -= 1000) {
    const path = `/api/v2/subject?First=${Math.min(1000, left)}${after && `&After=${after}`}`
    after = (await tenant.get<Page<unknown>>(path)).body.PageInfo.EndCursor
  }
  return after
}

async function floorRoute(databaseUrl: string, { tenantId, entityKeys }: SeededTenant) {
  const program = fileURLToPath(new URL('./list-floor.js', import.meta.url))
  const child = fork(program, [String(tenantId), ...entityKeys.slice(0, 2)], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
  })
  const [address] = await once(child, 'message')
  return { url: `http://127.0.0.1:${address.port}/`, stop: () => child.kill() }
}
