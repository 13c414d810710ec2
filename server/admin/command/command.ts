// The command `armature`, which manages tenants, forms, signing keys and imports from a shell.
import { Argument, Command, CommanderError } from 'commander'
import { buildId } from '../../../runtime/process/build.js'
import { Template } from '../../forms/templates/template-schema.js'
import { jsonSchema } from '../../schema/openapi-schema.js'
import { Manifest } from '../manifest/manifest.js'
import { addAccount } from './account.js'
import { addApply } from './apply.js'
import { addAudit } from './audit.js'
import { addBackup } from './backup.js'
import { CommandFailed } from './command-failed.js'
import { addCompletion } from './completion.js'
import { addDoctor } from './doctor.js'
import { addErasures } from './erasures.js'
import { addImport } from './import.js'
import { addJobs } from './jobs.js'
import { addKeys } from './keys.js'
import { type Output, outputOption, written } from './output.js'
import { connectPlatform } from './platform-client.js'
import type { Shell } from './shell.js'
import { addTenant } from './tenant.js'
import { addTenants } from './tenants.js'
import { addToday } from './today.js'

const settings = `
Environment:
  ARMATURE_URL           The API. Default: what npm start runs here, or http://127.0.0.1:3000
  ARMATURE_CLIENT_ID     A client with the scope PlatformAdmin and the permissions that the command needs, such as Edit:Tenant;
                         for import and erasures, one of the tenant with FrameApi
  ARMATURE_CLIENT_SECRET Its secret
  ARMATURE_TENANT        The tenant of that client. Default demo
  ARMATURE_TOKEN_URL     Where to get tokens. Default $ARMATURE_URL/identity/connect/token

Exit code: 0 success, 1 refused or failed, 2 wrong usage.`

/** Runs the command `armature` and returns its exit code. */
export async function armature(args: string[], shell: Shell): Promise<number> {
  try {
    await programFor(shell).parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has already printed why.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (!(error instanceof CommandFailed)) throw error
    for (const line of error.lines) shell.console.error(line)
    return error.exitCode
  }
}

function programFor(shell: Shell): Command {
  const program = new Command('armature')
    .description('Manages an installation of Armature through its API.')
    .version(buildId(), '-V, --version', 'print the version and the build')
    .helpOption('-h, --help', 'explain the command')
    .helpCommand('help [command]', 'explain a command')
    .addHelpText('after', settings)
    .showHelpAfterError('Add --help for the commands and options.')
    .exitOverride()
    .configureOutput({
      writeOut: text => shell.console.log(text.trimEnd()),
      writeErr: text => shell.console.error(text.trimEnd()),
    })
  for (const add of [
    addToday,
    addDoctor,
    addBackup,
    addApply,
    addAccount,
    addImport,
    addErasures,
    addTenants,
    addTenant,
    addJobs,
    addAudit,
    addGet,
    addKeys,
    addSchema,
    addCompletion,
  ])
    add(program, shell)
  return program
}

function addGet(program: Command, shell: Shell): void {
  program
    .command('get')
    .description("Print a tenant's manifest, without secrets.")
    .argument('<tenant>', 'its key')
    .addOption(outputOption('yaml', ['yaml', 'json']))
    .action(async (tenantKey: string, { output }: { output: Output }) => {
      const { client, said } = connectPlatform(shell.env)
      const { data } = await said(client.get('/admin/v1/tenants/{tenantKey}', { params: { path: { tenantKey } } }))
      shell.console.log(written(data, output))
    })
}

function addSchema(program: Command, { console }: Shell): void {
  program
    .command('schema')
    .description('Print the JSON Schema of manifests, or of forms.')
    .addArgument(new Argument('[of]', 'what it describes').choices(['manifest', 'form']).default('manifest'))
    .action((of: 'manifest' | 'form') => {
      const schema = of === 'form' ? jsonSchema(Template, 'Form template') : jsonSchema(Manifest, 'Tenant manifest')
      console.log(JSON.stringify(schema, null, 2))
    })
}
