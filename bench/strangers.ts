// Measures reads while strangers send the hostile corpus.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { corpus, type HostileCase, headersOf } from '../test/hostile/corpus.js'
import { anEntity, aTemplate, aType, formsTenant } from '../test/support/factories.js'
import { paths, put } from '../test/support/frame.js'
import type { Stack } from '../test/support/stack.js'
import { entityFloor } from './entity-floor-route.js'
import { line, memory, percentile } from './measure.js'
import type { CrowdOrder, CrowdReport, StrangersRequest } from './strangers-crowd.js'

const strangers = 10

/**
 * Measures an honest tenant's reads, alone and while strangers send the hostile corpus, each request from a different
 * address. The floor is a bare route on the same machine under the same load, because the strangers use part of its
 * processors.
 */
export async function benchStrangers(stack: Stack, short: boolean): Promise<void> {
  console.log(`Reads beside ${strangers} strangers who send hostile requests…`)
  const tenant = await formsTenant({ delivery: { url: 'https://forms.example.org/' } }, stack.baseUrl)
  await tenant.publish(aTemplate())
  await put(tenant, paths.types, aType('unit'))
  await put(tenant, paths.entities, anEntity('ward'))
  const requests = requestsOf(tenant.tenantKey)
  const pidsOf = () => String([stack.api.pid, stack.worker.pid, stack.database?.pid])
  const [pids, before] = [pidsOf(), memory(stack.api.pid, 'VmRSS')]
  const floorRoute = await entityFloor(stack, tenant.tenantKey, 'ward')
  try {
    const seconds = short ? 4 : 60
    const read = async () => expectOk(await tenant.get(`${paths.entities}/ward`))
    const floor = await measured(floorRoute.read, { baseUrl: floorRoute.url, requests, strangers, seconds })
    const ours = await measured(read, { baseUrl: stack.baseUrl, requests, strangers, seconds })
    if (pidsOf() !== pids) throw new Error('A process ended')

    const ms = (value: number) => `${value.toFixed(1)} ms`
    for (const when of ['alone', 'beside'] as const) {
      for (const percent of [50, 99]) {
        const [mine, bare] = [percentile(ours[when], percent), percentile(floor[when], percent)]
        const goal = when === 'beside' && percent === 99 ? '< 50 ms' : ''
        line(`  p${percent} ${when}`, ms(mine), ms(bare), (mine / bare).toFixed(1), goal)
      }
    }
    const rate = ({ answered }: CrowdReport) => `${Math.round(answered / seconds)}/s`
    line('  hostile requests answered', rate(ours.crowd), rate(floor.crowd), '', 'every process lives')
    const share = ({ cpu }: CrowdReport) => `${Math.round(cpu * 100)} %`
    line('  of one processor, the strangers themselves', share(ours.crowd), share(floor.crowd), '', '')
    line('  API above its memory before', `${Math.round(memory(stack.api.pid, 'VmRSS') - before)} MB`, '', '', '')
  } finally {
    floorRoute.stop()
  }
}

/** Returns each row of the corpus as requests to the paths that strangers can reach. */
function requestsOf(tenantKey: string): StrangersRequest[] {
  const [signIn, form] = [`POST /forms/${tenantKey}/sign-in`, `POST /${tenantKey}/SinglePass/visit/1`]
  const targets: Record<HostileCase['kind'], string[]> = {
    form: [signIn, form, 'POST /identity/connect/token'],
    multipart: [signIn, form],
    json: ['PUT /api/v1/structuralEntity/bulk', 'PUT /api/v1/group/bulk', `POST /glue/${tenantKey}/nowhere`],
    csv: ['POST /api/v2/subject/import'],
    ndjson: ['POST /api/v2/subject/import'],
    headers: ['PUT /api/v1/group', 'POST /api/v2/subject'],
  }
  return corpus.flatMap(hostile => {
    const body = hostile.body()
    return targets[hostile.kind].map(target => {
      const [method = '', path = ''] = target.split(' ')
      return { method, path, headers: headersOf(hostile), body }
    })
  })
}

/** Times reads while a crowd is active. @returns times in ms, and the crowd's own report. */
async function measured(read: () => Promise<void>, order: CrowdOrder) {
  const readUntil = async (until: number) => {
    const times: number[] = []
    while (Date.now() < until) {
      const started = performance.now()
      await read()
      times.push(performance.now() - started)
      await new Promise(resolve => setTimeout(resolve, 10))
    }
    return times
  }
  const child = fork(fileURLToPath(new URL('./strangers-crowd.js', import.meta.url)), { serialization: 'advanced' })
  await once(child, 'message')
  const alone = await readUntil(Date.now() + order.seconds * 250)
  child.send(order)
  const report = once(child, 'message')
  const beside = await readUntil(Date.now() + order.seconds * 1000)
  const [crowd]: CrowdReport[] = await report
  if (!crowd) throw new Error('The strangers report nothing')
  return { alone, beside, crowd }
}

function expectOk({ status }: { status: number }): void {
  if (status !== 200) throw new Error(`An honest read is answered ${status}`)
}
