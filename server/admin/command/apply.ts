// The `apply` command, which brings tenants and forms to the state that their files describe.
import { appendFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { stringify } from 'yaml'
import type { Fault } from '../../../client/index.js'
import { type AuthorFile, type FormName, type ManifestName, readAuthorFile } from './author-file.js'
import { CommandFailed } from './command-failed.js'
import { type Connected, connectPlatform } from './platform-client.js'
import type { Shell } from './shell.js'

interface Options {
  /** The tenant of the forms among the files. */
  tenant?: string
  plan?: boolean
  secretsTo?: string
}

export function addApply(program: Command, shell: Shell): void {
  program
    .command('apply')
    .summary('Bring tenants and forms to the state in files.')
    .description(
      'Bring tenants and forms to the state in the files (YAML or JSON): manifests of tenants, and templates of forms. A file with ' +
        'buildingBlocks is the template of a form; image: body.svg in it names a file beside it.',
    )
    .argument('<file...>', 'the files')
    .option('--tenant <key>', 'the tenant to which forms are written')
    .option('--plan', 'only show what would change')
    .option(
      '--secrets-to <file>',
      'write the new secrets of clients to a new file that only you can read, and print none',
    )
    .action((files: string[], options: Options) => apply(files, options, shell))
}

/**
 * Brings tenants and forms to the state in the files, in their order.
 * @throws CommandFailed with the faults of every file. If a file cannot be read, nothing is sent; if one is refused,
 * the others are applied.
 */
async function apply(
  paths: readonly string[],
  { tenant, plan = false, secretsTo }: Options,
  { env, console }: Shell,
): Promise<void> {
  const files = await forAll(paths, async path => readAuthorFile(path, await textOf(path), tenant))
  const platform = connectPlatform(env)
  const printed = printSecrets(console)
  const file = plan ? undefined : secretsTo
  const tellSecrets = file === undefined ? printed : writeSecrets(file, printed, console)
  try {
    await forAll(files, each =>
      each.kind === 'form'
        ? applyForm(platform, each, plan, console)
        : applyManifest(platform, each, { plan, tellSecrets }, console),
    )
  } finally {
    // Without new secrets the file is empty, and would be in the way of the next time.
    if (file !== undefined && statSync(file).size === 0) rmSync(file)
  }
}

/** Tells the new secrets of a tenant's clients, which nobody can read later. */
type TellSecrets = (tenantKey: string, secrets: Record<string, string>) => void

const printSecrets =
  (console: Shell['console']): TellSecrets =>
  (_, secrets) => {
    for (const [clientId, secret] of Object.entries(secrets))
      console.log(`The secret of ${clientId}, shown only now: ${secret}`)
  }

/**
 * Makes the file before anything is applied, so that no secret is lost. Secrets that cannot be written are printed.
 * @throws CommandFailed if there is such a file, or none can be made.
 */
function writeSecrets(path: string, print: TellSecrets, console: Shell['console']): TellSecrets {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw new CommandFailed([
      `${path} cannot be made: ${error instanceof Error ? error.message : error}. Nothing was applied.`,
    ])
  }
  return (tenantKey, secrets) => {
    if (Object.keys(secrets).length === 0) return
    try {
      appendFileSync(path, stringify({ [tenantKey]: secrets }))
    } catch (error) {
      console.error(
        `${path} cannot be written: ${error instanceof Error ? error.message : error}. The secrets are printed:`,
      )
      print(tenantKey, secrets)
    }
  }
}

/**
 * Processes every item, even if some fail.
 * @throws CommandFailed with the lines of all failures.
 */
async function forAll<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  const failed: CommandFailed[] = []
  for (const item of items) {
    try {
      results.push(await work(item))
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error
      failed.push(error)
    }
  }
  const [first] = failed
  if (first)
    throw new CommandFailed(
      failed.flatMap(({ lines }) => lines),
      first.exitCode,
    )
  return results
}

const textOf = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: Error) => {
    throw new CommandFailed([`${path} cannot be read: ${error.message}`])
  })

const ending = (plan: boolean) => (plan ? ' (only a plan, nothing was written)' : '')

async function applyManifest(
  { client, said }: Connected,
  file: AuthorFile & ManifestName,
  { plan, tellSecrets }: { plan: boolean; tellSecrets: TellSecrets },
  console: Shell['console'],
): Promise<void> {
  const params = { path: { tenantKey: file.tenantKey }, query: { plan } }
  const body = JSON.parse(file.json)
  const { data: answer } = await said(client.put('/admin/v1/tenants/{tenantKey}', { params, body }), file)
  const count = answer.changes.length === 1 ? '1 change' : `${answer.changes.length || 'no'} changes`
  console.log(`${file.tenantKey}: ${count}${ending(plan)}`)
  for (const change of answer.changes) console.log(changeLine(change))
  warn(answer.warnings, file, console)
  tellSecrets(file.tenantKey, answer.secrets)
}

async function applyForm(
  { client, said }: Connected,
  file: AuthorFile & FormName,
  plan: boolean,
  console: Shell['console'],
): Promise<void> {
  const params = { path: { tenantKey: file.tenantKey, formKey: file.formKey, version: file.version }, query: { plan } }
  const body = JSON.parse(file.json)
  const path = '/admin/v1/tenants/{tenantKey}/forms/{formKey}/{version}'
  const { data: answer } = await said(client.put(path, { params, body }), file)
  const { key, version, status, created, comparedWith, breaks } = answer
  console.log(`${file.tenantKey}: ${key} ${version}, ${created ? 'new' : 'written before'}, ${status}${ending(plan)}`)
  for (const { detail } of breaks) console.log(`! Breaks extracts of version ${comparedWith}: ${detail}`)
  warn(answer.warnings, file, console)
}

function warn(warnings: readonly Fault[], file: AuthorFile, console: Shell['console']): void {
  for (const { pointer, detail } of warnings) console.error(`Warning: ${file.place(pointer)}${pointer}: ${detail}`)
}

const signs = new Map([
  ['created', '+'],
  ['updated', '~'],
  ['deleted', '-'],
])

/** A change of a manifest, as the API answers it. A later release of the API may answer other kinds. */
interface Change {
  path: string
  change: string
  before?: unknown
  after?: unknown
}

/** Describes a change: `~ /limits/requestsPerMinute 60 → 600`. The values of secrets are not shown. */
function changeLine({ path, change, before, after }: Change): string {
  const values = [before, after].filter(value => value !== undefined).map(value => JSON.stringify(value))
  return [signs.get(change) ?? change, path || 'the tenant', values.join(' → ')].join(' ').trimEnd()
}
