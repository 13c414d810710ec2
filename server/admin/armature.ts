#!/usr/bin/env node
// The command `armature`: tenants and forms from a shell. In the project: `npm run armature -- apply examples/tenant.yaml`.
// Node's own parseArgs reads the arguments: three commands and two flags need no library.
import { parseArgs } from 'node:util'
import { stringify } from 'yaml'
import { Template } from '../forms/template-schema.js'
import { jsonSchema } from '../schema/published.js'
import { apply } from './apply.js'
import { tenantAddress } from './author-file.js'
import { Manifest } from './manifest.js'
import { CommandFailed, connectPlatform } from './platform-client.js'

const usage = `Usage:
  armature apply <file>... [--tenant <key>] [--plan]
                                   Make tenants and forms what the files (YAML or JSON) say: manifests of tenants, and
                                   templates of forms, which are written for the tenant <key>. A file is the template of
                                   a form where it has buildingBlocks; its image: body.svg is a file beside it.
                                   --plan only shows what would change.
  armature get <tenantKey>         Print a tenant's manifest as YAML, without secrets.
  armature schema [form]           Print the JSON Schema of manifests, or of forms.

Environment:
  ARMATURE_URL                     The API. Default http://127.0.0.1:3000
  ARMATURE_CLIENT_ID               A client with the scope PlatformAdmin
  ARMATURE_CLIENT_SECRET           Its secret
  ARMATURE_TENANT                  The tenant of that client. Default demo
  ARMATURE_TOKEN_URL               Where tokens come from. Default $ARMATURE_URL/identity/connect/token

Exit code: 0 done, 1 refused or failed, 2 wrong use.`

const print = (line: string) => console.log(line)
const printSchema = (schema: object, title: string) => print(JSON.stringify(jsonSchema(schema, title), null, 2))

async function run(args: string[]): Promise<void> {
  const { values, positionals } = argumentsOf(args)
  const { tenant, plan = false, help } = values
  const [command, ...rest] = positionals
  const [argument = ''] = rest
  const isPlain = tenant === undefined && !plan
  if (help) print(usage)
  else if (command === 'apply' && rest.length > 0) await apply(rest, { tenant, plan })
  else if (command === 'get' && rest.length === 1 && isPlain) await get(argument)
  else if (command === 'schema' && rest.length === 0 && isPlain) printSchema(Manifest, 'Tenant manifest')
  else if (command === 'schema' && rest.join() === 'form' && isPlain) printSchema(Template, 'Form template')
  else throw new CommandFailed([usage], 2)
}

function argumentsOf(args: string[]) {
  try {
    const options = {
      plan: { type: 'boolean' },
      tenant: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    } as const
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw new CommandFailed([error instanceof Error ? error.message : String(error), '', usage], 2)
  }
}

async function get(tenantKey: string): Promise<void> {
  const platform = await connectPlatform(process.env)
  print(stringify(await platform.send('GET', tenantAddress(tenantKey))).trimEnd())
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof CommandFailed)) throw error
  for (const line of error.lines) console.error(line)
  process.exitCode = error.exitCode
}
