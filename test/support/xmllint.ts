import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram, run, StartProblem } from '../../dev/programs.js'

/**
 * Validates documents by an XML Schema, all in one process: xmllint of libxml2, which is installed by apt where there is none
 * and we are root.
 * @returns what is wrong with each document; empty for one that is valid.
 * @throws Error where the schema itself is none; StartProblem that says what to install.
 */
export async function xmlFaults(schema: string, documents: readonly string[]): Promise<string[]> {
  const xmllint = findProgram('xmllint') ?? (await install())
  const folder = await mkdtemp(join(tmpdir(), 'armature-xml-'))
  try {
    const names = documents.map((_, n) => `${n}.xml`)
    await writeFile(join(folder, 'form.xsd'), schema)
    await Promise.all(documents.map((document, n) => writeFile(join(folder, `${n}.xml`), document)))
    const printed = await lint(xmllint, ['--nonet', '--noout', '--schema', 'form.xsd', ...names], folder)
    const lines = printed.split('\n')
    return names.map(name => {
      if (lines.includes(`${name} validates`)) return ''
      const faults = lines.filter(line => line.startsWith(`${name}:`) && line.includes('error'))
      // Neither valid nor with a fault: the schema could not be read.
      if (faults.length === 0) throw new Error(printed)
      return faults.join('\n')
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** What it prints; by its exit code it only says that something is wrong. */
const lint = (xmllint: string, args: string[], cwd: string): Promise<string> =>
  new Promise(resolve => {
    execFile(xmllint, args, { cwd, maxBuffer: 64 * 1024 * 1024 }, (_error, stdout, stderr) => resolve(stdout + stderr))
  })

async function install(): Promise<string> {
  const apt = findProgram('apt-get')
  if (apt && process.getuid?.() === 0) {
    const folder = await mkdtemp(join(tmpdir(), 'armature-xmllint-'))
    const [logFile, env] = [join(folder, 'install.log'), { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }]
    console.warn(`Installing xmllint for the tests (apt-get install libxml2-utils); details in ${logFile}`)
    // Another test file may be installing something at the same time.
    const wait = ['-o', 'DPkg::Lock::Timeout=300']
    await run(apt, [...wait, 'update'], { logFile, env })
    await run(apt, [...wait, 'install', '-y', '--no-install-recommends', 'libxml2-utils'], { logFile, env })
    const command = findProgram('xmllint')
    if (command) return command
  }
  throw new StartProblem(
    'The tests of XML need xmllint, and there is none on this machine. Install it (Debian and Ubuntu: apt-get install ' +
      'libxml2-utils; macOS has it).',
  )
}
