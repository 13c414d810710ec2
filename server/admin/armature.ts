#!/usr/bin/env node
// The command `armature`: tenant manifests from a shell. In the project: `npm run armature -- apply examples/tenant.yaml`.
// Node's own parseArgs reads the arguments: three commands and one flag need no library.
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { stringify } from 'yaml'
import type { Change } from '../../db/admin/differences.js'
import type { AppliedManifest } from '../../db/admin/tenants.js'
import type { Fault } from '../../runtime/problem.js'
import { jsonSchema } from '../schema/published.js'
import { Manifest } from './manifest.js'
import { readManifestFile } from './manifest-file.js'
import { CommandFailed, connectPlatform } from './platform-client.js'

const usage = `Usage:
  armature apply <file> [--plan]   Make a tenant what the manifest in the file (YAML or JSON) says; --plan only shows it.
  armature get <tenantKey>         Print a tenant's manifest as YAML, without secrets.
  armature schema                  Print the JSON Schema of manifests.

Environment:
  ARMATURE_URL                     The API. Default http://127.0.0.1:3000
  ARMATURE_CLIENT_ID               A client with the scope PlatformAdmin
  ARMATURE_CLIENT_SECRET           Its secret
  ARMATURE_TENANT                  Its tenant. Default demo
  ARMATURE_TOKEN_URL               Where tokens come from. Default $ARMATURE_URL/identity/connect/token

Exit code: 0 done, 1 refused or failed, 2 wrong use.`

const print = (line: string) => console.log(line)
const address = (tenantKey: string) => `/admin/v1/tenants/${encodeURIComponent(tenantKey)}`

async function run(args: string[]): Promise<void> {
  const { values, positionals } = argumentsOf(args)
  const [command, argument = ''] = positionals
  const form = `${command} ${positionals.length - 1}${values.plan ? ' --plan' : ''}`
  if (values.help) print(usage)
  else if (form === 'apply 1' || form === 'apply 1 --plan') await apply(argument, values.plan ?? false)
  else if (form === 'get 1') await get(argument)
  else if (form === 'schema 0') print(JSON.stringify(jsonSchema(Manifest, 'Tenant manifest'), null, 2))
  else throw new CommandFailed([usage], 2)
}

function argumentsOf(args: string[]) {
  try {
    const options = { plan: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw new CommandFailed([error instanceof Error ? error.message : String(error), '', usage], 2)
  }
}

type Answer = AppliedManifest & { warnings: Fault[] }

async function apply(path: string, plan: boolean): Promise<void> {
  const file = readManifestFile(path, await textOf(path))
  const platform = await connectPlatform(process.env)
  const query = plan ? '?plan=true' : ''
  const answer: Answer = await platform.send('PUT', `${address(file.tenantKey)}${query}`, file)
  const count = answer.changes.length === 1 ? '1 change' : `${answer.changes.length || 'no'} changes`
  print(`${file.tenantKey}: ${count}${plan ? ' (only a plan: nothing is written)' : ''}`)
  for (const change of answer.changes) print(changeLine(change))
  for (const { pointer, detail } of answer.warnings) {
    console.error(`Warning: ${file.place(pointer)}${pointer}: ${detail}`)
  }
  for (const [clientId, secret] of Object.entries(answer.secrets)) {
    print(`The secret of ${clientId}, shown only now: ${secret}`)
  }
}

async function get(tenantKey: string): Promise<void> {
  const platform = await connectPlatform(process.env)
  print(stringify(await platform.send('GET', address(tenantKey))).trimEnd())
}

const textOf = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: Error) => {
    throw new CommandFailed([`${path} cannot be read: ${error.message}`])
  })

const signs = { created: '+', updated: '~', deleted: '-' }

/** `~ /limits/requestsPerMinute 60 → 600`; a value that is secret is not told. */
function changeLine({ path, change, before, after }: Change): string {
  const values = [before, after].filter(value => value !== undefined).map(value => JSON.stringify(value))
  return [signs[change], path || 'the tenant', values.join(' → ')].join(' ').trimEnd()
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof CommandFailed)) throw error
  for (const line of error.lines) console.error(line)
  process.exitCode = error.exitCode
}
