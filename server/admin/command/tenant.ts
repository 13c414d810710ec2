// The `tenant` command, which suspends a tenant, lets it go on, or deletes it.
import type { Command } from 'commander'
import { JobFailed } from '../../../client/index.js'
import { CommandFailed } from './command-failed.js'
import { written } from './output.js'
import { connectPlatform } from './platform-client.js'
import type { Shell } from './shell.js'

export function addTenant(program: Command, shell: Shell): void {
  const tenant = program.command('tenant').description('Suspend a tenant, let it go on, or delete it.')
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
    .description('Delete a suspended tenant with all that it has, for good. Without --confirm, say how much that is.')
    .argument('<tenant>', 'its key')
    .option('--confirm <key>', 'its key once more: delete it, and wait until that is done')
    .action((tenantKey: string, { confirm }: { confirm?: string }) => remove(tenantKey, confirm, shell))
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

async function remove(tenantKey: string, confirm: string | undefined, { env, console }: Shell): Promise<void> {
  const { client, said } = connectPlatform(env)
  const query = confirm === undefined ? {} : { confirm }
  const { data } = await said(
    client.delete('/admin/v1/tenants/{tenantKey}', { params: { path: { tenantKey }, query } }),
  )
  if ('tables' in data) {
    console.log(
      written(
        Object.entries(data.tables).map(([table, rows]) => ({ table, rows })),
        'table',
      ),
    )
    console.error(`${data.rows} rows would be deleted, for good. Nothing was: add --confirm ${tenantKey}.`)
    return
  }
  console.log(`The job ${data.jobId} deletes it.`)
  const { counts } = await said(client.waitForJob(data).catch(notDeleted))
  console.log(`Deleted. Rows by table: ${JSON.stringify(counts)}`)
}

/** @throws CommandFailed if the deletion has failed or was cancelled, otherwise the error itself. */
function notDeleted(error: unknown): never {
  if (!(error instanceof JobFailed)) throw error
  throw new CommandFailed([
    `The tenant is not deleted: ${error.message}`,
    'Remove the cause and go on: armature jobs retry --kind tenantDeletion --yes',
  ])
}
