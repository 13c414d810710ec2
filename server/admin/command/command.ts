// The command `armature`, which manages tenants, forms, signing keys and imports from a shell. Arguments are parsed by
// Node's parseArgs, which suffices for six commands and some flags.
import { parseArgs } from 'node:util'
import { stringify } from 'yaml'
import { Template } from '../../forms/templates/template-schema.js'
import { jsonSchema } from '../../schema/openapi-schema.js'
import { keys } from '../keys.js'
import { Manifest } from '../manifest/manifest.js'
import { apply } from './apply.js'
import { CommandFailed } from './command-failed.js'
import { erasures, erasuresUsage } from './erasures.js'
import { importFile, importUsage } from './import.js'
import { connectPlatform } from './platform-client.js'
import type { Shell } from './shell.js'

const usage = `Usage:
  armature apply <file>... [--tenant <key>] [--plan]
                                   Bring tenants and forms to the state in the files (YAML or JSON): manifests of tenants, and
                                   templates of forms, which are written to the tenant <key>. A file with buildingBlocks is
                                   the template of a form; image: body.svg in it names a file beside it.
                                   --plan only shows what would change.
${importUsage}
${erasuresUsage}
  armature get <tenantKey>         Print a tenant's manifest as YAML, without secrets.
  armature keys                    Show the keys that sign access tokens.
  armature keys rotate             Add one. It signs in 15 minutes, and the one before is removed when its last token has
                                   expired. Nothing needs a restart.
  armature schema [form]           Print the JSON Schema of manifests, or of forms.

Environment:
  ARMATURE_URL                     The API. Default: what npm start runs here, or http://127.0.0.1:3000
  ARMATURE_CLIENT_ID               A client with the scope PlatformAdmin or, for import, one of the tenant with FrameApi
  ARMATURE_CLIENT_SECRET           Its secret
  ARMATURE_TENANT                  The tenant of that client. Default demo
  ARMATURE_TOKEN_URL               Where to get tokens. Default $ARMATURE_URL/identity/connect/token

Exit code: 0 success, 1 refused or failed, 2 wrong usage.`

/** Runs the command `armature` and returns its exit code. */
export async function armature(args: string[], shell: Shell): Promise<number> {
  try {
    await run(args, shell)
    return 0
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    for (const line of error.lines) shell.console.error(line)
    return error.exitCode
  }
}

async function run(args: string[], shell: Shell): Promise<void> {
  const [first, ...ofCommand] = args
  if (first === 'import') return importFile(ofCommand, shell)
  if (first === 'erasures') return erasures(ofCommand, shell)
  const { values, positionals } = argumentsOf(args)
  const { tenant, plan = false, help } = values
  const [command, ...rest] = positionals
  const [argument = ''] = rest
  const isPlain = tenant === undefined && !plan
  const { log } = shell.console
  if (help) log(usage)
  else if (command === 'apply' && rest.length > 0) await apply(rest, { tenant, plan }, shell)
  else if (command === 'get' && rest.length === 1 && isPlain) await get(argument, shell)
  else if (command === 'keys' && ['', 'rotate'].includes(rest.join()) && isPlain) await keys(rest.length > 0, shell)
  else if (command === 'schema' && rest.length === 0 && isPlain) log(schemaOf(Manifest, 'Tenant manifest'))
  else if (command === 'schema' && rest.join() === 'form' && isPlain) log(schemaOf(Template, 'Form template'))
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

const schemaOf = (schema: object, title: string) => JSON.stringify(jsonSchema(schema, title), null, 2)

async function get(tenantKey: string, { env, console }: Shell): Promise<void> {
  const { client, said } = connectPlatform(env)
  const { data } = await said(client.get('/admin/v1/tenants/{tenantKey}', { params: { path: { tenantKey } } }))
  console.log(stringify(data).trimEnd())
}
