// What commands share that print data: the option for the format, how data are written in it, and how many entries are wanted.
import { InvalidArgumentError, Option } from 'commander'
import { stringify } from 'yaml'

const outputs = ['table', 'yaml', 'json'] as const

/** A format in which a command prints data. */
export type Output = (typeof outputs)[number]

/** The option `--output` of a command that prints data. */
export const outputOption = (standard: Output, choices: readonly Output[] = outputs): Option =>
  new Option('-o, --output <format>', 'how it is printed').choices(choices).default(standard)

/** Reads how many are wanted. */
export function countOf(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It must be a number from 1 on.')
  return Number(text)
}

/** Writes data as YAML or JSON, or rows of it as columns with a heading. */
export function written(data: unknown, output: Output): string {
  if (output === 'json') return JSON.stringify(data, null, 2)
  return output === 'yaml' || !Array.isArray(data) ? stringify(data).trimEnd() : table(data)
}

/** Aligns rows in columns, under the names of the members of the first one. */
function table(rows: readonly Record<string, unknown>[]): string {
  const names = Object.keys(rows[0] ?? {})
  const cells = [names, ...rows.map(row => names.map(name => String(row[name] ?? '–')))]
  const widths = names.map((_, column) => Math.max(...cells.map(row => row[column]?.length ?? 0)))
  return cells
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
