// `npm run audit`: writes a bill of materials from the lock file to .data/sbom.cdx.json (CycloneDX) and asks npm for security
// advisories. Exits with 1 if any is high or critical. If npm cannot be reached, it says so and does not fail.
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { projectRoot } from './programs.js'

/** The result of an audit: one line for people, and whether the build must stop. */
export interface Verdict {
  line: string
  isBad: boolean
}

/** Reads the output of `npm audit --json`, which has either counts by severity or the error that prevented the audit. */
export function verdictOf(json: string): Verdict {
  const answer = parsed(json)
  const counts = answer?.metadata?.vulnerabilities
  if (!counts) {
    return { line: `No advisories could be asked: ${answer?.message ?? 'npm gave no answer'}. Skipped.`, isBad: false }
  }
  const { critical = 0, high = 0, moderate = 0, low = 0 } = counts
  const line = `Advisories: ${critical} critical, ${high} high, ${moderate} moderate, ${low} low.`
  return { line, isBad: critical + high > 0 }
}

interface Answer {
  message?: string
  metadata?: { vulnerabilities?: Record<string, number> }
}

function parsed(json: string): Answer | undefined {
  try {
    return JSON.parse(json)
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

async function audit(): Promise<Verdict> {
  const bill = await npm('sbom', '--sbom-format', 'cyclonedx', '--package-lock-only')
  if (bill.failed) return { line: 'npm sbom failed: it needs npm 10 or later.', isBad: true }
  const file = join(projectRoot, '.data', 'sbom.cdx.json')
  mkdirSync(join(projectRoot, '.data'), { recursive: true })
  writeFileSync(file, bill.output)
  console.log(`${JSON.parse(bill.output).components.length} packages: ${file}`)
  return verdictOf((await npm('audit', '--json', '--fetch-retries=0', '--fetch-timeout=10000')).output)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { line, isBad } = await audit()
  console.log(line)
  process.exitCode = isBad ? 1 : 0
}
