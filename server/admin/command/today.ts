// The `today` command, which prints what waits for a human in all tenants.
import { type Command, Option } from 'commander'
import type { components } from '../../../client/index.js'
import { type AttentionKind, attentionKinds } from '../../../db/attention/attention.js'
import { type Output, outputOption, written } from './output.js'
import { connectPlatform } from './platform-client.js'
import type { Shell } from './shell.js'

type Attention = components['schemas']['Attention']

interface Options {
  tenant?: string
  kind?: AttentionKind[]
  output: Output
}

export function addToday(program: Command, shell: Shell): void {
  program
    .command('today')
    .description('Show what waits for a human, in all tenants, each with the next step.')
    .option('--tenant <key>', 'only of this tenant')
    .addOption(new Option('--kind <kind...>', 'only of these kinds').choices(attentionKinds))
    .addOption(outputOption('table'))
    .action((options: Options) => today(options, shell))
}

async function today({ tenant, kind, output }: Options, { env, console }: Shell): Promise<void> {
  const { client, said } = connectPlatform(env)
  const filter = { ...(tenant === undefined ? {} : { Tenant: tenant }), ...(kind === undefined ? {} : { Kind: kind }) }
  const rows: Attention[] = []
  for (let After: string | undefined; ; ) {
    const query = { First: 1000, ...filter, ...(After === undefined ? {} : { After }) }
    const { data } = await said(client.get('/admin/v1/attention', { params: { query } }))
    rows.push(...data.Edges.map(({ Node }) => Node))
    if (!data.PageInfo.HasNextPage) break
    After = data.PageInfo.EndCursor
  }
  if (output !== 'table') console.log(written(rows, output))
  else console.log(rows.length === 0 ? 'Nothing waits for a human.' : readable(rows))
}

/** Writes rows as a table. Below each row are its reason and its next step, which are too long for a column. */
function readable(rows: readonly Attention[]): string {
  const now = Date.now()
  const table = rows.map(({ since, tenant, kind, subject }) => ({
    since: ageOf(now - Date.parse(since)),
    tenant,
    kind,
    subject,
  }))
  const [heading = '', ...lines] = written(table, 'table').split('\n')
  const below = rows.map(({ why, nextStep, action }) => [
    `    ${why}`,
    `    ${nextStep}`,
    ...(action ? [`    ${action.method} ${action.path}`] : []),
  ])
  return [heading, ...lines.flatMap((line, n) => [line, ...(below[n] ?? []), ''])].join('\n').trimEnd()
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const

/** Writes a time in its largest unit, such as `3 h`. */
function ageOf(ms: number): string {
  const [unit, length] = units.find(each => ms >= each[1]) ?? ['min', 60_000]
  return `${Math.floor(Math.max(0, ms) / length)} ${unit}`
}
