// `npm run demo`: imports the administrative divisions of France through the public API, as any client would.
import { setTimeout as sleep } from 'node:timers/promises'
import { SingleBar } from 'cli-progress'
import { Type } from 'typebox'
import { type Client, DemoError, Problem, problemLines, signIn } from './demo/client.js'
import { frenchPlaces, levels, type Place, structureTypes } from './demo/french-places.js'
import { shuffled } from './demo/shuffle.js'

const baseUrl = process.env.ARMATURE_URL ?? `http://127.0.0.1:${process.env.PORT ?? 3000}`
const credentials = {
  client_id: 'demo-integration',
  client_secret: 'demo-integration-secret',
  tenant_key: 'demo',
  scope: 'FrameApi',
}
const seed = 1789
const pollMs = 200
/** A killed API comes back within seconds (`npm start` sees to it); the job goes on meanwhile. */
const patienceMs = 60_000

const Job = Type.Object({
  jobId: Type.String(),
  status: Type.String(),
  progress: Type.Object({ done: Type.Number() }),
  counts: Type.Optional(Type.Record(Type.String(), Type.Number())),
  problem: Type.Optional(Type.Union([Problem, Type.Null()])),
  links: Type.Object({ temporalUi: Type.String(), items: Type.String() }),
})
type Job = Type.Static<typeof Job>

async function demo(): Promise<void> {
  if (!URL.canParse(baseUrl))
    throw new DemoError(`${baseUrl} is no address.`, [], 'Set ARMATURE_URL to one, such as http://127.0.0.1:3000')
  const places = frenchPlaces()
  console.log(`${count(places.length)} places of France, shuffled, to ${baseUrl}\n`)
  const client = await signIn(baseUrl, credentials)
  await client.put('api/v1/structureType/bulk', structureTypes)

  const start = performance.now()
  const job = await importPlaces(client, shuffled(places, seed))
  const seconds = (performance.now() - start) / 1000

  const missing = await printLevels(client, places)
  const counts = Object.entries(job.counts ?? {}).map(([outcome, number]) => `${count(number)} ${outcome}`)
  console.log(
    `\n${count(places.length)} places in ${seconds.toFixed(1)} s, ${count(Math.round(places.length / seconds))} rows/s`,
  )
  if (counts.length > 0) console.log(`Outcome   ${counts.join(', ')}`)
  console.log(`Job       ${new URL(`api/v1/jobs/${job.jobId}`, baseUrl)}`)
  console.log(`Temporal  ${job.links.temporalUi}`)
  if (missing > 0)
    throw new DemoError(`${count(missing)} places are missing.`, [], `See ${new URL(job.links.items, baseUrl)}`)
}

/** Sends all places in one request and follows the job to its end. Fails unless it completed. */
async function importPlaces(client: Client, places: Place[]): Promise<Job> {
  const accepted = await client.put('api/v1/structuralEntity/bulk', places, { prefer: 'respond-async' })
  const location = accepted.headers.get('location')
  if (accepted.status !== 202 || location === null) {
    throw new DemoError(`Expected 202 and a Location, got ${accepted.status}.`, [], 'Is this Armature?')
  }
  const bar = new SingleBar({
    format: '{bar} {percentage}%  {value}/{total}  {status}',
    barsize: 30,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    stream: process.stdout,
    linewrap: true,
    // Its own handler would swallow Ctrl-C.
    gracefulExit: false,
    noTTYOutput: true,
    notTTYSchedule: 1000,
  })
  bar.start(places.length, 0, { status: 'Accepted' })
  try {
    let job: Job
    do {
      await sleep(pollMs)
      job = await patiently(
        () => client.get(location, Job),
        () => bar.update({ status: 'waiting for the API' }),
      )
      bar.update(job.progress.done, { status: job.status })
    } while (job.status === 'Accepted' || job.status === 'Running')
    if (job.status === 'Completed') return job
    throw new DemoError(
      `The job ended as ${job.status}.`,
      [...(job.problem ? problemLines(job.problem) : []), `Items: ${new URL(job.links.items, baseUrl)}`],
      `See ${job.links.temporalUi}`,
    )
  } finally {
    bar.stop()
  }
}

/** Repeats a reading while the API is away, for at most `patienceMs`. */
async function patiently<Result>(read: () => Promise<Result>, waiting: () => void): Promise<Result> {
  for (const deadline = Date.now() + patienceMs; ; await sleep(pollMs)) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof DemoError && error.passing) || Date.now() > deadline) throw error
      waiting()
    }
  }
}

/** Prints what was sent and what the API now has, level by level. Returns how many places are missing. */
async function printLevels(client: Client, places: Place[]): Promise<number> {
  const Page = Type.Object({ PageInfo: Type.Object({ TotalCount: Type.Integer() }) })
  const row = (...[depth, sent, present, names]: [string, string, string, string]) =>
    console.log(`${depth.padStart(5)}  ${sent.padStart(8)}  ${present.padStart(10)}  ${names}`)
  console.log()
  row('Depth', 'Sent', 'In the API', 'Called')
  let missing = 0
  for (const level of levels(places)) {
    const { PageInfo } = await client.get(`api/v1/structuralEntity?Depth=${level.depth}&First=1`, Page)
    missing += Math.max(0, level.count - PageInfo.TotalCount)
    row(String(level.depth), count(level.count), count(PageInfo.TotalCount), level.names.join(', '))
  }
  return missing
}

function count(number: number): string {
  return number.toLocaleString('en')
}

try {
  await demo()
} catch (error) {
  if (!(error instanceof DemoError)) throw error
  console.error(`\n${[error.message, ...error.details.map(line => `  ${line}`), `→ ${error.nextStep}`].join('\n')}`)
  process.exitCode = 1
}
