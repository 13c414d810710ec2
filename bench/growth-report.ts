// Writes the report of the growth benchmark: plots and a table in docs/scaling.md.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { scaleLog } from 'd3-scale'
import { projectRoot } from '../runtime/process/version.js'
import { thousands } from './measure.js'

/** The figures at one size: medians in ms, and bytes on disk per row. */
export interface Figures {
  subjects: number
  at: string
  /** Average of the machine's load before and after the measurement, each over one minute. */
  load: number
  ms: Record<string, number>
  bytes: Record<string, number>
}

const directory = join(projectRoot, 'docs', 'scaling')
const page = join(projectRoot, 'docs', 'scaling.md')
const marks = ['<!-- figures of `npm run bench -- growth` -->', '<!-- end of the figures -->'] as const

/** Draws the curves and writes them, with their table, into docs/scaling.md. A short run writes nothing. */
export async function drawGrowth(all: readonly Figures[], short: boolean): Promise<void> {
  const plots = { times: plot(all, 'ms', 'ms, median'), disk: plot(all, 'bytes', 'bytes on disk a row') }
  const text = await readFile(page, 'utf8')
  const [start, end] = marks.map(mark => text.indexOf(mark))
  if (start === undefined || end === undefined || start < 0 || end < start)
    throw new Error(`${page} has no ${marks[0]}`)
  if (short) return
  await mkdir(directory, { recursive: true })
  for (const [name, svg] of Object.entries(plots)) await writeFile(join(directory, `${name}.svg`), svg)
  await writeFile(page, `${text.slice(0, start)}${marks[0]}\n\n${tables(all)}\n\n${text.slice(end)}`)
  console.log(`Written: ${page} and the plots in ${directory}`)
}

function tables(all: readonly Figures[]): string {
  const [cpu] = cpus()
  const machine = `${cpus().length} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB of memory`
  const head = ['subjects', ...all.map(({ subjects }) => thousands(subjects))]
  const table = (of: 'ms' | 'bytes', digits: number) => {
    const names = Object.keys(all[0]?.[of] ?? {})
    const cell = (value = Number.NaN) =>
      value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
    const rows = names.map(name => [name, ...all.map(figures => cell(figures[of][name]))])
    const load = ['*load of the machine*', ...all.map(({ load }) => load.toFixed(1))]
    return [head, head.map((_, n) => (n === 0 ? '---' : '---:')), ...rows, ...(of === 'ms' ? [load] : [])]
      .map(cells => `| ${cells.join(' | ')} |`)
      .join('\n')
  }
  const day = all.at(-1)?.at.slice(0, 10)
  return `${day}, ${machine}, which API, worker, Temporal, database and client share.

Median in ms:

${table('ms', 1)}

![Curves of the times](scaling/times.svg)

Bytes on disk a row, with all indexes:

${table('bytes', 0)}

![Curves of the bytes](scaling/disk.svg)`
}

const [width, height, left, right, top, bottom] = [900, 460, 60, 290, 30, 40]
const colours = [
  '#0b5394',
  '#cc4125',
  '#38761d',
  '#674ea7',
  '#b45f06',
  '#0c343d',
  '#a64d79',
  '#45818e',
  '#7f6000',
  '#444',
  '#990000',
]

/** Draws curves on two logarithmic axes as a self-contained SVG. */
export function plot(all: readonly Figures[], of: 'ms' | 'bytes', title: string): string {
  const sizes = all.map(({ subjects }) => subjects)
  const names = Object.keys(all[0]?.[of] ?? {})
  const values = all.flatMap(figures => Object.values(figures[of]))
  const x = scaleLog([Math.min(...sizes), Math.max(...sizes)], [left, width - right])
  const y = scaleLog([Math.min(...values), Math.max(...values)], [height - bottom, top]).nice()
  const decades = (scale: typeof x) => scale.ticks().filter(tick => Number.isInteger(Math.log10(tick)))
  const text = (at: { x: number; y: number }, words: string, more = '') =>
    `<text x="${at.x.toFixed(1)}" y="${at.y.toFixed(1)}" ${more}>${words}</text>`
  const rule = (x1: number, y1: number, x2: number, y2: number) =>
    `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="#ddd"/>`
  const grid = [
    ...decades(y).flatMap(tick => [
      rule(left, y(tick), width - right, y(tick)),
      text({ x: left - 6, y: y(tick) + 4 }, thousands(tick), 'text-anchor="end"'),
    ]),
    ...decades(x).flatMap(tick => [
      rule(x(tick), top, x(tick), height - bottom),
      text({ x: x(tick), y: height - bottom + 18 }, thousands(tick), 'text-anchor="middle"'),
    ]),
  ]
  const curves = names.map((name, n) => {
    const points = all.map(figures => [x(figures.subjects), y(figures[of][name] ?? Number.NaN)] as const)
    return { name, points, colour: colours[n % colours.length], end: points.at(-1)?.[1] ?? 0 }
  })
  // Labels stand at the ends of their curves, in the same order, and must not overlap.
  let free = 0
  const drawn = [...curves]
    .sort((a, b) => a.end - b.end)
    .map(({ name, points, colour, end }) => {
      free = Math.max(free + 15, end + 4)
      const path = points.map(point => point.map(each => each.toFixed(1)).join()).join(' ')
      const dots = points.map(
        ([cx, cy]) => `<circle cx="${cx.toFixed(1)}" cy="${cy.toFixed(1)}" r="3" fill="${colour}"/>`,
      )
      return [
        `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="1.5"/>`,
        ...dots,
        text({ x: width - right + 8, y: free }, name, `fill="${colour}"`),
      ].join('\n')
    })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<title>${title}</title>
<rect width="100%" height="100%" fill="#fff"/>
${[...grid, ...drawn].join('\n')}
${text({ x: left, y: 16 }, title)}
${text({ x: (left + width - right) / 2, y: height - 6 }, 'subjects', 'text-anchor="middle"')}
</svg>
`
}
