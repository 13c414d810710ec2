// Measures extracts against handwritten queries.
import { setTimeout as sleep } from 'node:timers/promises'
import { extractPopulation, formKey, type Population } from '../test/support/extract-population.js'
import { extractPath } from '../test/support/extracts.js'
import { formAsked } from '../test/support/factories.js'
import type { JobBody } from '../test/support/faults.js'
import type { Stack } from '../test/support/stack.js'
import { extractReader, floorReader, grown, latestQueries, type Taken } from './extracts-read.js'
import { line, median, percentile, thousands } from './measure.js'

interface Reading {
  stack: Stack
  ours: ReturnType<typeof extractReader>
  floor: Awaited<ReturnType<typeof floorReader>>
  rounds: number
}

const definitions = [formAsked(formKey)]
const ms = (value: number) => `${thousands(value)} ms`
const rate = ({ bytes, lastByte }: Taken) => bytes / 1_000 / lastByte
const speed = (megabytes: number) => `${megabytes.toFixed(0)} MB/s`

/** Measures extracts of a form with 30 controls against handwritten queries whose rows a bare server streams. */
export async function benchExtracts(stack: Stack, short: boolean): Promise<void> {
  const [few, many] = short ? [1_000, 10_000] : [10_000, 1_000_000]
  console.log(`Writing ${thousands(few)} and ${thousands(many)} submissions of a form with 30 controls…`)
  const small = await extractPopulation(stack, { submissions: few, subjects: few / 10 })
  const large = await extractPopulation(stack, { submissions: many, subjects: Math.min(many / 10, 20_000) })
  const [ours, smallOnes] = [extractReader(stack.baseUrl, large), extractReader(stack.baseUrl, small)]
  const floor = await floorReader(stack, large.tenantId)
  try {
    const reading = { stack, ours, floor, rounds: short ? 1 : 3 }
    await measureRecent(reading, many / 10)
    await measureLatest(reading, large.subjects)
    const calls = short ? 20 : 400
    console.log(`The 20 most recent, of ${thousands(few)} and of ${thousands(many)} submissions (${calls} calls)…`)
    for (const [submissions, reader] of [
      [few, smallOnes],
      [many, ours],
    ] as const) {
      const times = await measureTwenty(reader, calls)
      line(`  p50, of ${thousands(submissions)}`, ms(percentile(times, 50)), '', '', '')
      line(`  p95, of ${thousands(submissions)}`, ms(percentile(times, 95)), '', '', '< 100 ms')
    }
    await measureAll(reading, large)
  } finally {
    await Promise.all([ours.stop(), smallOnes.stop(), floor.stop()])
  }
}

async function measureRecent({ stack, ours, floor, rounds }: Reading, maxResults: number): Promise<void> {
  console.log(`The ${thousands(maxResults)} most recent submissions…`)
  const taken = { floor: [] as Taken[], lines: [] as Taken[], json: [] as Taken[] }
  const body = { definitions, maxResults }
  const { megabytes } = await grown([stack.api.pid, stack.worker.pid], async () => {
    // The first round is a warm-up.
    for (let round = -1; round < rounds; round++) {
      const each = {
        floor: await floor.read('recent', maxResults),
        lines: await ours.extract(body),
        json: await ours.extract(body, 'application/json'),
      }
      if (each.floor.bytes !== each.lines.bytes) throw new Error(`${each.lines.bytes} bytes, not ${each.floor.bytes}`)
      if (round < 0) continue
      for (const way of ['floor', 'lines', 'json'] as const) taken[way].push(each[way])
    }
  })
  const below = median(taken.floor.map(rate))
  for (const [name, way] of [['NDJSON', 'lines'] as const, ['JSON', 'json'] as const]) {
    const above = median(taken[way].map(rate))
    line(`  ${name}`, speed(above), speed(below), (above / below).toFixed(2), '≥ 0.50')
  }
  const [first, floorFirst] = [taken.lines, taken.floor].map(all => ms(median(all.map(({ firstByte }) => firstByte))))
  line('  first byte of NDJSON', first ?? '', floorFirst ?? '', '', '< 1,000 ms')
  memoryLines(megabytes, '< 200 MB')
}

function memoryLines(megabytes: readonly number[], goal: string): void {
  for (const [n, name] of ['API', 'worker'].entries())
    line(`  ${name} above its memory before`, `${megabytes[n]?.toFixed(0)} MB`, '', '', goal)
}

async function measureLatest({ ours, floor, rounds }: Reading, subjects: number): Promise<void> {
  console.log(`The most recent submission of each of ${thousands(subjects)} subjects…`)
  const above: number[] = []
  const below = new Map(latestQueries.map(query => [query, [] as number[]]))
  for (let round = 0; round < rounds; round++) {
    const { bytes, lastByte } = await ours.extract({ definitions, maxResultsPerDefinitionPerSubject: 1 })
    above.push(lastByte)
    for (const [query, times] of below) {
      const taken = await floor.read(query, 1)
      if (taken.bytes !== bytes) throw new Error(`${bytes} bytes, not the ${taken.bytes} of ${query}`)
      times.push(taken.lastByte)
    }
  }
  const best = Math.min(...[...below.values()].map(median))
  const [query] = [...below].find(([, times]) => median(times) === best) ?? []
  const ratio = (median(above) / best).toFixed(2)
  line(`  all, beside ${query}`, ms(median(above)), ms(best), ratio, '≤ 3')
}

/** Times extracts of 20 submissions. @returns ms of each call. */
async function measureTwenty({ extract }: Pick<Reading['ours'], 'extract'>, calls: number): Promise<number[]> {
  const times: number[] = []
  for (let call = -20; call < calls; call++) {
    const { lastByte } = await extract({ definitions, maxResults: 20 }, 'application/json')
    if (call >= 0) times.push(lastByte)
  }
  return times
}

async function measureAll({ stack, ours }: Reading, { forms, submissions }: Population): Promise<void> {
  console.log(`All ${thousands(submissions)} submissions, by a job that nobody waits for…`)
  const { megabytes } = await grown([stack.api.pid, stack.worker.pid], async () => {
    const { status, body } = await forms.post<JobBody>(extractPath, { definitions }, { Prefer: 'respond-async' })
    if (status !== 202) throw new Error(JSON.stringify(body))
    const took = await completed(forms, body)
    line('  until it is completed', ms(took), '', '', '')
    const taken = await ours.result(body.jobId)
    line(`  reading its ${thousands(taken.bytes / 1e6)} MB`, speed(rate(taken)), '', '', '')
  })
  memoryLines(megabytes, '')
}

/** Waits for a job. @returns ms from its acceptance to its end, as the job's row records them. */
async function completed(client: Population['forms'], { links }: JobBody): Promise<number> {
  for (;;) {
    // Polled rarely, because every answer takes time from what is measured.
    await sleep(200)
    const { status, acceptedAt, finishedAt } = (await client.get<JobBody>(links.self)).body
    if (finishedAt === null) continue
    if (status !== 'Completed') throw new Error(`The job is ${status}`)
    return Date.parse(finishedAt) - Date.parse(acceptedAt)
  }
}
