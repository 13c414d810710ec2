// The `tenant move` command: moves a tenant to another cell, takes it back, or forgets what it left.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { CommandFailed } from './command-failed.js'
import { connectPlatform } from './platform-client.js'
import type { Shell } from './shell.js'

export const tenantMoveUsage = `  armature tenant move <key> --to <cell> [--wait <seconds>]
                                   Move a tenant to another installation while it works, and wait for the end. The switch
                                   waits at most <seconds> (60) for its running jobs; the others go on there.
  armature tenant move <key> --undo
                                   Take it back, where nothing was written in its new cell.
  armature tenant move <key> --forget
                                   Delete the rows that it left. Then there is no way back.`

const options = {
  to: { type: 'string' },
  wait: { type: 'string' },
  undo: { type: 'boolean' },
  forget: { type: 'boolean' },
} as const

/** Between two looks at the move, in ms. */
const pollMs = 500

/** @throws CommandFailed where it is used wrongly, refused or given up. */
export async function moveTenant(args: string[], { env, console }: Shell): Promise<void> {
  const { tenantKey, body } = requestOf(args)
  const { client, said } = connectPlatform(env)
  const params = { path: { tenantKey } }
  await said(client.post('/admin/v1/tenants/{tenantKey}/move', { params, body }))
  for (;;) {
    const { data } = await said(client.get('/admin/v1/tenants/{tenantKey}/move', { params }))
    const { run, state, address } = data
    if (run.status === 'completed') {
      const place = state === 'moved' ? `is at ${address}` : 'is here'
      return console.log(
        body.what === 'forget' ? `The rows of ${tenantKey} are deleted.` : `The tenant ${tenantKey} ${place}.`,
      )
    }
    if (run.status !== 'running')
      throw new CommandFailed([`The run is ${run.status}: ${run.reason ?? 'the Temporal UI has the cause'}`])
    await sleep(pollMs)
  }
}

function requestOf(args: string[]) {
  const { values, positionals } = argumentsOf(args)
  const [verb, tenantKey = '', ...others] = positionals
  const { to: cell, wait, undo, forget } = values
  const what = undo ? ('undo' as const) : forget ? ('forget' as const) : ('move' as const)
  const wished = [cell, undo, forget].filter(each => each !== undefined)
  const waitSeconds = Number(wait ?? 60)
  if (verb !== 'move' || tenantKey === '' || others.length > 0 || wished.length !== 1 || !Number.isInteger(waitSeconds))
    throw new CommandFailed(['Usage:', tenantMoveUsage], 2)
  return { tenantKey, body: { what, waitSeconds, ...(cell === undefined ? {} : { cell }) } }
}

function argumentsOf(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw new CommandFailed([error instanceof Error ? error.message : String(error), '', 'Usage:', tenantMoveUsage], 2)
  }
}
