// The `tenants` command, which lists the tenants of the installation.
import type { Command } from 'commander'
import type { components } from '../../../client/index.js'
import { type Output, outputOption, written } from './output.js'
import { connectPlatform } from './platform-client.js'
import type { Shell } from './shell.js'

interface Options {
  search?: string
  output: Output
}

export function addTenants(program: Command, shell: Shell): void {
  program
    .command('tenants')
    .description('List the tenants, with their open and failed jobs.')
    .option('--search <words>', 'only those in whose key or name each word occurs')
    .addOption(outputOption('table'))
    .action((options: Options) => list(options, shell))
}

async function list({ search, output }: Options, { env, console }: Shell): Promise<void> {
  const { client, said } = connectPlatform(env)
  const tenants: components['schemas']['Tenant'][] = []
  for (let After: string | undefined; ; ) {
    const query = { First: 1000, ...(search === undefined ? {} : { SearchTerm: search }), ...(After ? { After } : {}) }
    const { data } = await said(client.get('/admin/v1/tenants', { params: { query } }))
    tenants.push(...data.Edges.map(({ Node }) => Node))
    if (!data.PageInfo.HasNextPage) break
    After = data.PageInfo.EndCursor
  }
  // The columns are those of the first row, which may not be suspended.
  const rows = output === 'table' ? tenants.map(({ suspendedAt, ...rest }) => ({ ...rest, suspendedAt })) : tenants
  console.log(written(rows, output))
}
