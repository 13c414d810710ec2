import { corpus, type HostileCase, headersOf } from '../test/hostile/corpus.js'
import { anEntity, aTemplate, aType, formsTenant } from '../test/support/factories.js'

import { paths, put } from '../test/support/frame.js'
import type { Stack } from '../test/support/stack.js'
import { line, memory, percentile } from './measure.js'

const strangers = 10

/** An honest tenant's reads, alone and beside strangers who send the hostile corpus for a minute, each from many addresses. */
export async function benchStrangers(stack: Stack, short: boolean): Promise<void> {
  console.log(`Reads beside ${strangers} strangers who send hostile requests…`)
  const tenant = await formsTenant({ delivery: { url: 'https://forms.example.org/' } }, stack.baseUrl)
  await tenant.publish(aTemplate())
  await put(tenant, paths.types, aType('unit'))
  await put(tenant, paths.entities, anEntity('ward'))
  const forms = `/forms/${tenant.tenantKey}`
  const targets: Record<HostileCase['kind'], string[]> = {
    form: [`${forms}/sign-in`, `/${tenant.tenantKey}/SinglePass/visit/1`, '/identity/connect/token'],
    multipart: [`${forms}/sign-in`, `/${tenant.tenantKey}/SinglePass/visit/1`],
    json: ['/api/v1/structuralEntity/bulk', `/glue/${tenant.tenantKey}/nowhere`],
    headers: ['/api/v1/group', '/api/v2/subject'],
  }
  const requests = corpus.flatMap(hostile => {
    const body = hostile.body()
    return targets[hostile.kind].map(path => ({ path, body, headers: headersOf(hostile) }))
  })
  const pids = [stack.api.pid, stack.worker.pid, stack.database?.pid]

  const seconds = short ? 10 : 60
  const reads = async (until: number): Promise<number[]> => {
    const times: number[] = []
    while (Date.now() < until) {
      const started = performance.now()
      const { status } = await tenant.get(`${paths.entities}/ward`)
      if (status !== 200) throw new Error(`An honest read is answered ${status}`)
      times.push(performance.now() - started)
      await new Promise(resolve => setTimeout(resolve, 10))
    }
    return times
  }
  const alone = await reads(Date.now() + seconds * 250)
  const before = memory(stack.api.pid, 'VmRSS')
  const until = Date.now() + seconds * 1000
  let sent = 0
  const stranger = async (_: unknown, number: number) => {
    for (let n = number; Date.now() < until; n += strangers) {
      const { path, body, headers } = requests[n % requests.length] ?? { path: '/', body: Buffer.alloc(0), headers: {} }
      // The stack takes this machine for a proxy.
      const address = { 'x-forwarded-for': `203.0.${n % 250}.${Math.floor(n / 250) % 250}` }
      const answer = await fetch(new URL(path, stack.baseUrl), {
        method: 'POST',
        body,
        headers: { ...headers, ...address },
        redirect: 'manual',
      })
      await answer.arrayBuffer()
      sent++
    }
  }
  const [beside] = await Promise.all([reads(until), ...Array.from({ length: strangers }, stranger)])
  if (String([stack.api.pid, stack.worker.pid, stack.database?.pid]) !== String(pids))
    throw new Error('A process ended')

  const ms = (value: number) => `${value.toFixed(1)} ms`
  const row = (percent: number) => [percentile(beside, percent), percentile(alone, percent)] as const
  for (const [percent, goal] of [
    [50, ''],
    [99, '< 50 ms'],
  ] as const) {
    const [ours, floor] = row(percent)
    line(`  p${percent}, beside alone`, ms(ours), ms(floor), (ours / floor).toFixed(1), goal)
  }
  line('  hostile requests answered', `${Math.round(sent / seconds)}/s`, '', '', 'every process lives')
  line('  API above its memory before', `${Math.round(memory(stack.api.pid, 'VmRSS') - before)} MB`, '', '', '')
}
