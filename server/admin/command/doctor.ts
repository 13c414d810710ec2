// The `doctor` command, which looks for what is wrong with an installation and says what to do about it.
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Knex } from 'knex'
import { countAttention } from '../../../db/attention/attention.js'
import { timeOf } from '../../../db/clock.js'
import { missingSteps, unsafeSettings } from '../../../db/condition.js'
import { connect } from '../../../db/connect.js'
import { openSigningKeys } from '../../../db/identity/signing-keys.js'
import { isAlive } from '../../../db/jobs/workers.js'
import { requireDatabase } from '../../../db/reachable.js'
import { version } from '../../../runtime/process/version.js'
import { createSeal } from '../../../runtime/secrets/seal.js'
import { type Config, readConfig } from '../../../runtime/settings/config.js'
import { requireTemporal } from '../../../runtime/temporal/reachable.js'
import { queues } from '../../../workflows/jobs/contracts.js'
import { CommandFailed } from './command-failed.js'
import { type Output, outputOption, written } from './output.js'
import type { Shell } from './shell.js'

/** How long ago a worker's last heartbeat may be, in ms. */
const silentMs = 10_000
/** How far the clocks of this machine and of the database may be apart, in ms. */
const skewMs = 5_000
const answerMs = 5_000

/** What a check has found. */
interface Finding {
  check: string
  /** `skipped`: another check has failed without which this one says nothing. */
  result: 'fine' | 'wrong' | 'skipped'
  /** What is fine, or what is wrong and what to do. */
  detail: string
}

/** Looks at one thing. @returns what is fine. @throws Error that says what is wrong and what to do. */
type Check = () => Promise<string>

export function addDoctor(program: Command, shell: Shell): void {
  program
    .command('doctor')
    .description(
      'Look for what is wrong with the installation, and say what to do. Needs the settings of its processes, such as DATABASE_URL.',
    )
    .addOption(outputOption('table'))
    .action((options: { output: Output }) => doctor(options, shell))
}

async function doctor({ output }: { output: Output }, { env, console }: Shell): Promise<void> {
  const findings = await examine(env)
  console.log(output === 'table' ? readable(findings) : written(findings, output))
  if (findings.some(({ result }) => result === 'wrong')) throw new CommandFailed([])
}

const signs = { fine: '✓', wrong: '✗', skipped: '–' } as const

function readable(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  return findings.map(({ check, result, detail }) => `${signs[result]} ${check.padEnd(width)}  ${detail}`).join('\n')
}

async function examine(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  let config: Config
  try {
    config = readConfig(env)
  } catch (error) {
    return [{ check: 'settings', result: 'wrong', detail: messageOf(error) }]
  }
  const [database, ...others] = await Promise.all([
    found('database', async () => {
      await requireDatabase(config.databaseUrl)
      return 'answers'
    }),
    found('temporal', async () => {
      await requireTemporal(config.temporal)
      return `answers, and has the namespace ${config.temporal.namespace}`
    }),
    found('api', () => apiOf(config)),
    found('export directory', () => exportDirectoryOf(config)),
  ])
  return [database, ...(await inDatabase(config, database.result === 'fine')), ...others]
}

/** Makes the checks for which the database is needed. They are skipped if it cannot be used, or has another schema. */
async function inDatabase(config: Config, isReachable: boolean): Promise<Finding[]> {
  const db = connect(config.databaseUrl, { poolSize: 2, silenceTimeoutMs: answerMs })
  const skipped = (check: string): Finding => ({
    check,
    result: 'skipped',
    detail: 'needs the database and its schema',
  })
  const all = (ofAll: Record<string, Check>, isPossible: boolean) =>
    Promise.all(Object.entries(ofAll).map(([name, check]) => (isPossible ? found(name, check) : skipped(name))))
  try {
    const [schema, ...server] = await all(
      { schema: () => schemaOf(db), clock: () => clockOf(db), durability: () => durabilityOf(db) },
      isReachable,
    )
    const tables = {
      'encryption key': () => encryptionKeyOf(db, config),
      workers: () => workersOf(db),
      attention: () => attentionOf(db),
    }
    return [...(schema ? [schema] : []), ...server, ...(await all(tables, schema?.result === 'fine'))]
  } finally {
    await db.destroy()
  }
}

const found = (check: string, look: Check): Promise<Finding> =>
  look().then(
    detail => ({ check, result: 'fine', detail }),
    error => ({ check, result: 'wrong', detail: messageOf(error) }),
  )

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function schemaOf(db: Knex): Promise<string> {
  const missing = await missingSteps(db)
  if (missing === 0) return `has all steps of version ${version}`
  throw new Error(`${missing} steps of version ${version} are missing. Run: node dist/db/migrate.js`)
}

async function clockOf(db: Knex): Promise<string> {
  const askedAt = Date.now()
  const itsTime = (await timeOf(db)).getTime()
  const skew = Math.round((askedAt + Date.now()) / 2 - itsTime)
  if (Math.abs(skew) <= skewMs) return `that of the database differs by ${Math.abs(skew)} ms`
  const apart = `${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? 'behind' : 'ahead of'}`
  throw new Error(`The clock of the database is ${apart} that of this machine. Set both by NTP.`)
}

async function durabilityOf(db: Knex): Promise<string> {
  const unsafe = await unsafeSettings(db)
  if (unsafe.length === 0) return 'what is committed survives a loss of power'
  throw new Error(
    `A loss of power at the database server may lose what was committed last. Set there: ${unsafe.join(', ')}`,
  )
}

async function encryptionKeyOf(db: Knex, { encryptionKey, oldEncryptionKeys }: Config): Promise<string> {
  const keys = await openSigningKeys(db, createSeal(encryptionKey, oldEncryptionKeys))
  return keys === 0 ? 'nothing is sealed yet' : 'opens the signing keys'
}

async function workersOf(db: Knex): Promise<string> {
  const names = [queues.interactive, queues.background, queues.calls]
  const alive = await Promise.all(names.map(queue => isAlive(db, queue, silentMs)))
  const missing = names.filter((_, n) => !alive[n])
  if (missing.length === 0) return `${names.join(', ')} are served`
  const programs = missing.map(queue => (queue === queues.interactive ? 'an API' : 'a worker'))
  throw new Error(
    `Nobody serves ${missing.join(', ')}. Start ${[...new Set(programs)].join(' and ')}, or see its log: it says why it does not poll.`,
  )
}

async function attentionOf(db: Knex): Promise<string> {
  const count = (await countAttention(db)).reduce((sum, { amount }) => sum + amount, 0)
  if (count === 0) return 'nothing waits for a human'
  return `${count} ${count === 1 ? 'thing waits' : 'things wait'} for a human. See: armature today`
}

async function apiOf({ publicUrl }: Config): Promise<string> {
  const url = `${publicUrl}/health/ready`
  const answer = await fetch(url, { signal: AbortSignal.timeout(answerMs) }).catch((error: unknown) => {
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : messageOf(error)
    throw new Error(`PUBLIC_URL: ${url} does not answer (${reason}). Start the API, or correct the address.`)
  })
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}. The log of the API says why it is not ready.`)
  const { version: its } = (await answer.json().catch(() => ({}))) as { version?: string }
  if (its === undefined) throw new Error(`PUBLIC_URL: ${url} is not an API of Armature. Correct the address.`)
  if (its !== version)
    throw new Error(`${url} is version ${its}, and this program ${version}. Use the same image for both.`)
  return `${publicUrl} is ready`
}

async function exportDirectoryOf({ exports: { directory } }: Config): Promise<string> {
  if (directory === undefined) return 'not set'
  await access(directory, constants.W_OK).catch(() => {
    throw new Error(
      `EXPORT_DIRECTORY: ${directory} does not exist or may not be written. Create it for the user of the process.`,
    )
  })
  return `${directory} can be written`
}
