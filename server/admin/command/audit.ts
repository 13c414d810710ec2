// The `audit` command, which lists who did what, and proves that nothing of it was changed or removed.
import type { Command } from 'commander'
import type { components } from '../../../client/index.js'
import { firstHash, hashOf } from '../../../db/audit/hash.js'
import { CommandFailed } from './command-failed.js'
import { countOf, type Output, outputOption, written } from './output.js'
import { connectPlatform } from './platform-client.js'
import type { Shell } from './shell.js'

interface Options {
  tenant?: string
}

/** An event that was noted down before, such as `1200:5f3a…`. */
interface Noted {
  position: number
  hash: string
}

export function addAudit(program: Command, shell: Shell): void {
  const audit = program.command('audit').description('List who did what, and prove that the list is complete.')
  const tenant = ['--tenant <key>', 'its key; without it, what belongs to the installation'] as const
  audit
    .command('list')
    .description('Print the latest events.')
    .option(...tenant)
    .option('--last <n>', 'how many', countOf, 20)
    .addOption(outputOption('table'))
    .action((options: Options & { last: number; output: Output }) => list(options, shell))
  audit
    .command('verify')
    .description(
      'Recompute the hashes of all events here, and say which is damaged or missing. Note down the hash that it prints: with --noted, a chain that was written anew is found too.',
    )
    .option(...tenant)
    .option('--noted <position:hash>', 'what an earlier verification has printed', readNoted)
    .action((options: Options & { noted?: Noted }) => verify(options, shell))
}

function readNoted(text: string): Noted {
  const [, position, hash] = /^(\d+):([\da-f]{64})$/.exec(text) ?? []
  if (position === undefined || hash === undefined)
    throw new CommandFailed(['--noted is a position and a hash, such as 1200:5f3a…, as verify prints them.'], 2)
  return { position: Number(position), hash }
}

/** The most events that a page of the API has. */
const mostPerPage = 1000

/** Reads page after page of events: the oldest first, unless the latest so many are wanted. */
async function* pagesOf({ tenant: Tenant }: Options, { env }: Shell, latest?: number) {
  const { client, said } = connectPlatform(env)
  let left = latest ?? Number.POSITIVE_INFINITY
  for (let After: string | undefined; left > 0; ) {
    const query = {
      ...(Tenant === undefined ? {} : { Tenant }),
      ...(latest === undefined ? { OrderDirection: 'Ascending' as const } : {}),
      First: Math.min(left, mostPerPage),
      ...(After ? { After } : {}),
    }
    const { data } = await said(client.get('/admin/v1/audit', { params: { query } }))
    // The description has lines of NDJSON for the same status, which this call does not ask for.
    if (!('Edges' in data)) return
    yield data
    if (!data.PageInfo.HasNextPage) return
    left -= data.Edges.length
    After = data.PageInfo.EndCursor
  }
}

async function list({ last, output, ...options }: Options & { last: number; output: Output }, shell: Shell) {
  const events: components['schemas']['AuditEvent'][] = []
  for await (const { Edges } of pagesOf(options, shell, last)) events.push(...Edges.map(({ Node }) => Node))
  const short = events.map(({ at, client, person, action, ids, outcome }) => {
    const [id, ...more] = ids
    return { at, client, person, action, outcome, ids: more.length > 0 ? `${id} +${more.length}` : id }
  })
  shell.console.log(written(output === 'table' ? short : events, output))
}

/** @throws CommandFailed with every event that is damaged or missing. */
async function verify({ noted, ...options }: Options & { noted?: Noted }, shell: Shell): Promise<void> {
  const faults: string[] = []
  let [position, seen, unsealed, from] = [0, 0, 0, 1]
  // Of the event at the position. It is unknown if the retention has deleted that, unless it was noted.
  let hash: string | undefined
  let isNotedFound = false
  let end: Noted | undefined
  for await (const { Chain, Edges } of pagesOf(options, shell)) {
    if (end === undefined) {
      position = Chain.Forgotten
      from = position + 1
      isNotedFound = noted?.position === position
      hash = isNotedFound ? noted?.hash : position === 0 ? firstHash : undefined
      end = { position: Chain.Position, hash: Chain.Hash }
    }
    unsealed = Chain.Unsealed
    for (const { Node: event } of Edges) {
      if (event.position !== position + 1) faults.push(`Missing: the events ${position + 1} to ${event.position - 1}.`)
      else if (hash !== undefined && event.previousHash !== hash)
        faults.push(`Damaged: the event ${event.position} does not follow the one before it.`)
      if (hashOf(event) !== event.hash) faults.push(`Damaged: the event ${event.position} was changed.`)
      if (noted?.position === event.position) {
        isNotedFound = true
        if (noted.hash !== event.hash)
          faults.push(`Written anew: the event ${event.position} had the hash ${noted.hash}.`)
      }
      position = event.position
      hash = event.hash
      seen++
    }
  }
  if (end && position < end.position) faults.push(`Missing: the events ${position + 1} to ${end.position}, the last.`)
  else if (end && seen === 0) {
    if (hash !== undefined && hash !== end.hash) faults.push(`Damaged: the chain ends with another hash than ${hash}.`)
    hash = end.hash
  }
  if (noted && !isNotedFound)
    faults.push(
      noted.position < from
        ? `Not proven: the event ${noted.position}, which was noted, was deleted, and so was the one after it. Verify without --noted, and note down what that prints.`
        : `Missing: the event ${noted.position}, which was noted.`,
    )
  if (faults.length > 0) throw new CommandFailed(faults)
  shell.console.log(
    `${seen} events, ${from} to ${position}: none is damaged or missing. ${unsealed} wait for their place.`,
  )
  shell.console.log(`Note down: ${position}:${hash}`)
}
