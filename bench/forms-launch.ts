// Measures launch pages against a bare route.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { admin, newTenant } from '../test/support/api.js'
import { aSmallTemplate } from '../test/support/factories.js'
import { putForm } from '../test/support/forms.js'
import type { Stack } from '../test/support/stack.js'
import { line, median, thousands } from './measure.js'

const controls = 200
const inFlight = 8

/** Measures the launch page of a form with many controls against a bare route that keeps the same bytes in memory. */
export async function benchFormsLaunch(stack: Stack, short: boolean): Promise<void> {
  console.log(`The launch page of a form with ${controls} controls…`)
  const { tenantKey } = await newTenant(
    stack.baseUrl,
    {},
    { forms: { delivery: { url: 'https://archive.example.org/forms' } } },
  )
  const key = 'large'
  const template = aSmallTemplate(largeForm(), { key, title: 'A large form' })
  const { status, body } = await putForm(await admin(stack.baseUrl), tenantKey, template)
  if (status >= 300) throw new Error(JSON.stringify(body))
  const path = `/${tenantKey}/SinglePass/${key}/1`
  const page = await (await fetch(new URL(path, stack.baseUrl))).text()
  const floor = await floorRoute(stack, page)
  const [ours, bare] = [new Pool(stack.baseUrl, options), new Pool(floor.url, options)]
  try {
    const [calls, rounds] = short ? [200, 1] : [1_000, 15]
    const measured: { rate: number; floorRate: number; ratio: number }[] = []
    // The first round is a warm-up. Figures are compared within a round, because the machine's speed varies over time.
    for (let round = -1; round < rounds; round++) {
      const [rate, floorRate] = [await perSecond(ours, path, calls, page), await perSecond(bare, '/', calls, page)]
      if (round >= 0) measured.push({ rate, floorRate, ratio: rate / floorRate })
    }
    const medianOf = (what: keyof (typeof measured)[number]) => median(measured.map(each => each[what]))
    const kilobytes = `${thousands(Buffer.byteLength(page) / 1024)} KB`
    const text = (value: number) => `${thousands(value)}/s`
    const [rate, floorRate] = [text(medianOf('rate')), text(medianOf('floorRate'))]
    line(`  requests, ${kilobytes} each`, rate, floorRate, medianOf('ratio').toFixed(2), '≥ 0.50')
  } finally {
    await Promise.all([ours.close(), bare.close()])
    floor.stop()
  }
}

const options = { connections: inFlight, pipelining: 1 }

/**
 * Builds a large form from the kinds of control that forms mostly have. One control in ten has a condition for being
 * shown.
 */
const largeForm = () =>
  Array.from({ length: controls }, (_, n) => {
    const control = {
      id: `control${n}`,
      label: `Question ${n + 1}`,
      hint: 'As it was on the day.',
      required: n % 3 === 0,
    }
    const kind = kinds[n % kinds.length]
    const relevant = n % 10 === 9 ? { relevant: { control: `control${n - 1}`, answered: true } } : {}
    return { ...control, ...kind, ...relevant }
  })

const kinds = [
  { maxLength: 200 },
  { dataType: 'integer', min: 0, max: 10 },
  { options: ['never', 'sometimes', 'often', 'always'].map(value => ({ value, label: `It is ${value} so` })) },
  { dataType: 'date' },
  { dataType: 'decimal', unit: 'mm' },
  { dataType: 'boolean' },
  { multiline: true, maxLength: 2_000 },
  { options: ['a', 'b', 'c'].map(value => ({ value, label: `Kind ${value}` })), couldHaveMultipleValues: true },
]

/**
 * Measures requests per second. Each answer is read whole and may differ from the page in its hidden fields only, whose
 * length is fixed.
 */
async function perSecond(pool: Pool, path: string, calls: number, page: string): Promise<number> {
  const length = Buffer.byteLength(page)
  let left = calls
  const one = async () => {
    while (left-- > 0) {
      const { statusCode, body } = await pool.request({ path, method: 'GET' })
      const { byteLength } = await body.arrayBuffer()
      if (statusCode !== 200 || byteLength !== length) throw new Error(`${statusCode} with ${byteLength} bytes`)
    }
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: inFlight }, one))
  return (calls * 1000) / (performance.now() - started)
}

async function floorRoute({ dataDir }: Stack, page: string) {
  const file = join(dataDir, 'launch-page.html')
  writeFileSync(file, page)
  const child = fork(fileURLToPath(new URL('./forms-launch-floor.js', import.meta.url)), [file])
  const [address] = await once(child, 'message')
  return { url: `http://127.0.0.1:${address.port}`, stop: () => child.kill() }
}
