// Counts what everyday calls cost: statements, and processor time of each server.
import { setTimeout as sleep } from 'node:timers/promises'
import { type EverydayCall, everydayCalls } from '../test/support/everyday-calls.js'
import { newTrace, startCollector, statementsOf, traceAsAsked } from '../test/support/otlp.js'
import { statementsWithin } from '../test/support/server-statements.js'
import { type Stack, startStack } from '../test/support/stack.js'
import { median, processorTimeOfAll } from './measure.js'

/**
 * Prints the table of docs/scaling.md: statements, and processor-ms of API, worker, Temporal and database for one call. Neither depends
 * much on the machine. Uses a stack of its own, whose traces tell the statements of a call from those of an idle installation.
 */
export async function benchCost(_: Stack, short: boolean): Promise<void> {
  const collector = await startCollector()
  const stack = await startStack(traceAsAsked(collector.url))
  const everyday = await everydayCalls(stack.baseUrl, stack.providerPorts)
  try {
    console.log(row('', 'statements', 'API ms', 'worker ms', 'Temporal ms', 'database ms', 'call ms'))
    const idle = await idleCost(stack, short ? 5 : 30)
    console.log(row('an idle installation, a second', ...idle, ''))
    for (const [name, call] of Object.entries(everyday.calls)) {
      const counts: number[] = []
      for (let n = 0; n < 5; n++) {
        const { traceId, headers } = newTrace()
        await call(headers)
        counts.push((await statementsOf(collector, traceId)).length)
      }
      const { processors, ms } = await timed(stack, call, short ? 20 : 200)
      console.log(row(name, String(Math.min(...counts)), ...processors, ms))
    }
  } finally {
    everyday.stop()
    await stack.stop()
    await collector.stop()
  }
}

const row = (...cells: string[]): string =>
  `| ${cells.map((cell, n) => (n === 0 ? cell.padEnd(44) : cell.padStart(11))).join(' | ')} |`

const processorsOf = ({ api, worker, temporal, database }: Stack): number[] =>
  [api, worker, temporal, database].map(process => processorTimeOfAll(process?.pid))

/** Times calls one after another. @returns processor-ms of each server a call, and the median of its duration. */
async function timed(stack: Stack, call: EverydayCall, calls: number): Promise<{ processors: string[]; ms: string }> {
  for (let n = 0; n < calls / 4; n++) await call()
  const before = processorsOf(stack)
  const times: number[] = []
  for (let n = 0; n < calls; n++) {
    const started = performance.now()
    await call()
    times.push(performance.now() - started)
  }
  const after = processorsOf(stack)
  const processors = after.map((ms, n) => ((ms - (before[n] ?? 0)) / calls).toFixed(1))
  return { processors, ms: median(times).toFixed(1) }
}

/** Counts what is done for nobody. @returns statements by the database's own count, and processor-ms, a second. */
async function idleCost(stack: Stack, seconds: number): Promise<string[]> {
  await sleep(3_000)
  const before = processorsOf(stack)
  const statements = await statementsWithin(stack.databaseUrl, seconds)
  const after = processorsOf(stack)
  const aSecond = (n: number) => (n / seconds).toFixed(1)
  return [aSecond(statements), ...after.map((ms, n) => aSecond(ms - (before[n] ?? 0)))]
}
