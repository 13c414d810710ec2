// `npm run audit`: writes a bill of materials from the lock file to .data/sbom.cdx.json (CycloneDX) and asks npm for security
// advisories. Exits with 1 if any is high or critical. If npm does not answer, it says so and when it last did; with --release
// it then exits with 1, too.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { projectRoot } from '../runtime/process/version.js'

const data = join(projectRoot, '.data')
/** Holds the last answer of npm on this machine. */
const answerFile = join(data, 'advisories.json')

/** An answer of npm, and when it came. */
export interface Answered {
  at: string
  line: string
  isBad: boolean
}

/**
 * Reads the output of `npm audit --json`, which has either counts by severity or the error that prevented the audit.
 * @returns the reason if npm gave no counts.
 */
export function answerOf(json: string, now: Date): Answered | { unanswered: string } {
  const output = parsed(json)
  const counts = output?.metadata?.vulnerabilities
  if (!counts) return { unanswered: output?.message ?? 'npm gave no answer' }
  const { critical = 0, high = 0, moderate = 0, low = 0 } = counts
  const line = `Advisories: ${critical} critical, ${high} high, ${moderate} moderate, ${low} low.`
  return { at: now.toISOString(), line, isBad: critical + high > 0 }
}

/** Says that the advisories are not known, and how old the last answer is. */
export function unanswered(reason: string, last: Answered | undefined, now: Date): string {
  const days = last && Math.floor((now.getTime() - Date.parse(last.at)) / 86_400_000)
  const known = last
    ? `The last answer on this machine came at ${last.at}, ${days} d ago. ${last.line}`
    : 'There was never an answer on this machine.'
  return `NOT AUDITED: npm could not be asked for advisories (${reason}), so this proves nothing. ${known}`
}

interface Output {
  message?: string
  metadata?: { vulnerabilities?: Record<string, number> }
}

function parsed(json: string): Output | undefined {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function lastAnswer(): Answered | undefined {
  try {
    return JSON.parse(readFileSync(answerFile, 'utf8'))
  } catch {
    return undefined
  }
}

/** Runs npm and returns its standard output. `failed` may just mean findings: npm then exits with a code other than 0. */
const npm = (...args: string[]): Promise<{ output: string; failed: boolean }> =>
  new Promise(resolve => {
    const options = { cwd: projectRoot, maxBuffer: 64 * 1024 * 1024, timeout: 30_000 }
    execFile('npm', args, options, (error, output) => resolve({ output, failed: error !== null }))
  })

/** @returns whether the build may go on. */
async function audit(isRelease: boolean): Promise<boolean> {
  const bill = await npm('sbom', '--sbom-format', 'cyclonedx', '--package-lock-only')
  if (bill.failed) {
    console.log('npm sbom failed: it needs npm 10 or later.')
    return false
  }
  const file = join(data, 'sbom.cdx.json')
  mkdirSync(data, { recursive: true })
  writeFileSync(file, bill.output)
  console.log(`${JSON.parse(bill.output).components.length} packages: ${file}`)
  const now = new Date()
  const answer = answerOf((await npm('audit', '--json', '--fetch-retries=0', '--fetch-timeout=10000')).output, now)
  if ('unanswered' in answer) {
    console.log(unanswered(answer.unanswered, lastAnswer(), now))
    if (isRelease) console.log('A release needs an answer: run this where npm reaches its advisories.')
    return !isRelease
  }
  writeFileSync(answerFile, JSON.stringify(answer))
  console.log(answer.line)
  return !answer.isBad
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.exitCode = (await audit(process.argv.includes('--release'))) ? 0 : 1
}
