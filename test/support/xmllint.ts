// Validates XML with xmllint.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { xmllintPath } from './test-programs.js'

/**
 * Validates documents by an XML Schema, all in one process: xmllint of libxml2.
 * @returns what is wrong with each document; empty for one that is valid.
 * @throws Error where the schema itself is none; StartProblem that says what to install.
 */
export async function xmlFaults(schema: string, documents: readonly string[]): Promise<string[]> {
  const xmllint = xmllintPath()
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
