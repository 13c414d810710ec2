// The `account` command, which creates the account of a person and prints the link with which the person chooses a password, or removes
// the second factors of somebody who has lost them.
import type { Command } from 'commander'
import type { Client, components } from '../../../client/index.js'
import { CommandFailed } from './command-failed.js'
import { connectPlatform } from './platform-client.js'
import type { Shell } from './shell.js'

interface Options {
  name?: string
  role: string[]
  removeSecondFactors?: true
}

export function addAccount(program: Command, shell: Shell): void {
  program
    .command('account')
    .description(
      'Create the account of a person who signs in, or another link for one that there is; remove second factors.',
    )
    .argument('<tenant>', 'key of the tenant; platform for people who look after the installation')
    .argument('<email>', 'e-mail address of the person')
    .option('--name <name>', 'name of the person, for a new account')
    .option('--role <role...>', 'roles, for a new account', [])
    .option('--remove-second-factors', 'remove the second factors of somebody who has lost them, and make no link')
    .action((tenant: string, email: string, options: Options) => account(tenant, email, options, shell))
}

async function account(tenantKey: string, email: string, options: Options, { env, console }: Shell) {
  const { name, role: roles, removeSecondFactors } = options
  const { client, said } = connectPlatform(env)
  const path = { tenantKey }
  const found = await said(findAccount(client, tenantKey, email))
  if (removeSecondFactors) {
    if (!found) throw new CommandFailed([`There is no account '${email}'.`], 2)
    const params = { path: { ...path, accountId: found.id } }
    await said(client.delete('/admin/v1/tenants/{tenantKey}/accounts/{accountId}/secondFactors', { params }))
    console.log(`The second factors of ${email} are removed. The password alone lets this person in now.`)
    return
  }
  if (!found && name === undefined)
    throw new CommandFailed([`There is no account '${email}': give --name and --role.`], 2)
  if (found && (name !== undefined || roles.length > 0))
    throw new CommandFailed([`The account '${email}' exists: leave --name and --role out for another link.`], 2)
  const body = { email, name: name ?? '', roles }
  const { id } =
    found ?? (await said(client.post('/admin/v1/tenants/{tenantKey}/accounts', { params: { path }, body }))).data
  const link = client.post('/admin/v1/tenants/{tenantKey}/accounts/{accountId}/link', {
    params: { path: { ...path, accountId: id } },
  })
  const { data } = await said(link)
  console.log(
    data.link === null
      ? `A mail with a link is on its way to ${email}. It works once, until ${data.expiresAt}.`
      : `The link for ${email}, shown only now. It works once, until ${data.expiresAt}: ${data.link}`,
  )
}

async function findAccount(
  client: Client,
  tenantKey: string,
  email: string,
): Promise<components['schemas']['Account'] | undefined> {
  for (let After: string | undefined; ; ) {
    const query = { First: 1000, ...(After === undefined ? {} : { After }) }
    const { data } = await client.get('/admin/v1/tenants/{tenantKey}/accounts', {
      params: { path: { tenantKey }, query },
    })
    const found = data.Edges.find(({ Node }) => Node.email === email.toLowerCase())
    if (found) return found.Node
    if (!data.PageInfo.HasNextPage) return undefined
    After = data.PageInfo.EndCursor
  }
}
