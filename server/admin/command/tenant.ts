// The `tenant` command, which suspends, resumes, deletes, exports and imports tenants.
import { type Command, Option } from 'commander'
import { JobFailed } from '../../../client/index.js'
import { archiveFolder, type ExportDestination, exportDestinations } from '../../../db/storage/export-target.js'
import { CommandFailed } from './command-failed.js'
import { type Output, outputOption, written } from './output.js'
import { withDatabase } from './own-database.js'
import { connectPlatform } from './platform-client.js'
import type { Shell } from './shell.js'
import { importTenant } from './tenant-import.js'

export function addTenant(program: Command, shell: Shell): void {
  const tenant = program.command('tenant').description('Suspend, resume, delete, export or import a tenant.')
  tenant
    .command('suspend')
    .description('Refuse every call of its clients and people, and let its work wait. Nothing of it is lost.')
    .argument('<tenant>', 'its key')
    .action((tenantKey: string) => suspend(tenantKey, shell))
  tenant
    .command('resume')
    .description('Let it go on.')
    .argument('<tenant>', 'its key')
    .action((tenantKey: string) => resume(tenantKey, shell))
  tenant
    .command('delete')
    .description(
      'Delete a suspended tenant with all that it has, for good, or one whose import has broken off. Without --confirm, say how much that is.',
    )
    .argument('<tenant>', 'its key')
    .option('--confirm <key>', 'its key once more: delete it, and wait until that is done')
    .addOption(outputOption('table'))
    .action((tenantKey: string, options: DeleteOptions) => remove(tenantKey, options, shell))
  tenant
    .command('export')
    .description(
      'Write a suspended tenant to an encrypted archive, in EXPORT_DIRECTORY or EXPORT_BUCKET of the workers.',
    )
    .argument('<tenant>', 'its key')
    .requiredOption('--recipient <key>', 'the public key of age for which it is encrypted, as age-keygen prints it')
    .addOption(new Option('--to <destination>', 'where it is written').choices(exportDestinations).default('directory'))
    .action((tenantKey: string, options: ExportOptions) => exportTo(tenantKey, options, shell))
  tenant
    .command('import')
    .description('Write an archive as a suspended tenant. Needs the settings of the processes, such as DATABASE_URL.')
    .argument('<file>', 'the archive')
    .requiredOption('--identity <file>', 'the file of age-keygen with the identity for which it was encrypted')
    .action((file: string, { identity }: { identity: string }) =>
      withDatabase(shell.env, (db, config) => importTenant(file, identity, { db, config, shell })),
    )
}

interface DeleteOptions {
  confirm?: string
  output: Output
}

interface ExportOptions {
  recipient: string
  to: ExportDestination
}

const pathOf = (tenantKey: string) => ({ params: { path: { tenantKey } } })

async function suspend(tenantKey: string, { env, console }: Shell): Promise<void> {
  const { client, said } = connectPlatform(env)
  const { data } = await said(client.put('/admin/v1/tenants/{tenantKey}/suspension', pathOf(tenantKey)))
  console.log(`Suspended since ${data.suspendedAt}. To let it go on: armature tenant resume ${tenantKey}`)
}

async function resume(tenantKey: string, { env, console }: Shell): Promise<void> {
  const { client, said } = connectPlatform(env)
  await said(client.delete('/admin/v1/tenants/{tenantKey}/suspension', pathOf(tenantKey)))
  console.log('It goes on. Work that waited begins within five minutes.')
}

async function remove(tenantKey: string, { confirm, output }: DeleteOptions, { env, console }: Shell): Promise<void> {
  const { client, said } = connectPlatform(env)
  const query = confirm === undefined ? {} : { confirm }
  const { data } = await said(
    client.delete('/admin/v1/tenants/{tenantKey}', { params: { path: { tenantKey }, query } }),
  )
  if ('tables' in data) {
    const tables = Object.entries(data.tables).map(([table, rows]) => ({ table, rows }))
    console.log(written(output === 'table' ? tables : data, output))
    console.error(`${data.rows} rows would be deleted, for good. Nothing was: add --confirm ${tenantKey}.`)
    return
  }
  console.error(`The job ${data.jobId} deletes it.`)
  const { counts } = await said(client.waitForJob(data).catch(notDone))
  console.log(output === 'table' ? `Deleted. Rows by table: ${JSON.stringify(counts)}` : written(counts, output))
}

async function exportTo(tenantKey: string, { recipient, to }: ExportOptions, { env, console }: Shell): Promise<void> {
  const { client, said } = connectPlatform(env)
  const { data } = await said(
    client.post('/admin/v1/tenants/{tenantKey}/export', {
      params: { path: { tenantKey } },
      body: { recipient, destination: to },
    }),
  )
  console.log(`The job ${data.jobId} writes the archive.`)
  const { input, progress } = await said(client.waitForJob(data).catch(notDone))
  console.log(`Written, ${progress.done} rows: ${archiveFolder}/${Object(input).file}`)
}

/** @throws CommandFailed if the job has failed or was cancelled, otherwise the error itself. */
function notDone(error: unknown): never {
  if (!(error instanceof JobFailed)) throw error
  const { kind, status } = error.job
  throw new CommandFailed([
    `The job did not complete: ${error.message}`,
    `Remove the cause. Then see what would go on, and add --yes: armature jobs retry --kind ${kind} --status ${status}`,
  ])
}
