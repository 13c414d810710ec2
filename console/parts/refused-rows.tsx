// The rows that an import has refused, as a table in which they are corrected and sent again.
import { parse } from 'csv-parse/browser/esm/sync'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { baseUrl, type Job, type Problem, problemOf, useReading } from '../api.js'
import { session } from '../session.js'
import { count } from '../words.js'
import { at } from './links.js'
import { ProblemBox } from './shown.js'

/** How many rows are shown. Of more, a file is the better place to correct them. */
const most = 200
/** Behind the columns of the file, these say what is wrong with a row. */
const said = /^Refused-/
/** A line of a file of JSON objects stands in one column. */
const wholeLine = 'Line'

interface Refused {
  columns: string[]
  separator: string
  rows: Record<string, string>[]
}

const authorization = () => ({ authorization: `Bearer ${session.get()?.token}` })

async function readRefused({ links }: Job): Promise<{ data?: Refused; error?: unknown }> {
  const answer = await fetch(`${baseUrl}${links.rejects}`, { headers: authorization() })
  if (!answer.ok) return { error: await answer.json() }
  const text = await answer.text()
  const separator = /([,;\t])"?Refused-Row/.exec(text)?.[1] ?? ','
  const [columns = [], ...lines]: string[][] = parse(text, { delimiter: separator, relax_column_count: true })
  const rows = lines.map(cells => Object.fromEntries(columns.map((column, n) => [column, cells[n] ?? ''])))
  return { data: { columns, separator, rows } }
}

const cell = (text: string): string => (/["\r\n,;\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const csvOf = (columns: string[], separator: string, rows: Refused['rows']): string =>
  [columns, ...rows.map(row => columns.map(column => row[column] ?? ''))]
    .map(cells => `${cells.map(cell).join(separator)}\r\n`)
    .join('')

/** Has the browser store all rows, with what is wrong with each, as CSV. */
function store({ columns, separator, rows }: Refused): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([csvOf(columns, separator, rows)], { type: 'text/csv' }))
  link.download = 'refused-rows.csv'
  link.click()
  URL.revokeObjectURL(link.href)
}

/** Writes rows as the import took them: CSV with its separator, or lines of JSON. */
function fileOf({ columns, separator }: Refused, rows: Refused['rows']): { type: string; body: string } {
  const own = columns.filter(column => !said.test(column))
  if (own.length === 1 && own[0] === wholeLine)
    return { type: 'application/x-ndjson', body: rows.map(row => `${row[wholeLine]}\n`).join('') }
  return { type: 'text/csv', body: csvOf(own, separator, rows) }
}

export function RefusedRows({ job }: { job: Job }) {
  const { route } = useLocation()
  const { data, problem } = useReading(
    () => readRefused(job),
    [job.jobId, job.counts.refused],
    () => 0,
  )
  const [changed, setChanged] = useState<Record<number, Record<string, string>>>({})
  const [refusal, setRefusal] = useState<Problem>()
  if (!data) return problem ? <ProblemBox problem={problem} /> : null
  // Columns in which something is wrong come first.
  const isWrong = (column: string) => data.rows.some(row => row['Refused-Column'] === column)
  const own = data.columns.filter(column => !said.test(column)).toSorted((a, b) => +isWrong(b) - +isWrong(a))
  const numbers = Object.keys(changed).map(Number)
  const send = async () => {
    const { type, body } = fileOf(
      data,
      numbers.map(n => ({ ...data.rows[n], ...changed[n] })),
    )
    const headers = { ...authorization(), 'content-type': type, 'idempotency-key': crypto.randomUUID() }
    const answer = await fetch(`${baseUrl}${job.links.self}/retry`, { method: 'POST', headers, body })
    const answered = await answer.json()
    if (answer.ok) route(at(`jobs/${answered.jobId}`))
    else setRefusal(problemOf(answered))
  }
  return (
    <section>
      <h2>Rows that were refused</h2>
      <p>
        Correct them here and send them again, which a new job imports. Or{' '}
        <button type="button" class="link" onClick={() => store(data)}>
          store them as a file
        </button>{' '}
        for a spreadsheet.
      </p>
      {refusal && <ProblemBox problem={refusal} />}
      <div class="scrolls">
        <table class="list refused">
          <thead>
            <tr>
              <th scope="col">Row</th>
              <th scope="col">What is wrong</th>
              {own.map(column => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.rows.slice(0, most).map((row, n) => (
              <tr key={row['Refused-Row']}>
                <td data-name="Row">{row['Refused-Row']}</td>
                <td class="wrong" data-name="What is wrong">
                  {row['Refused-Detail']}
                </td>
                {own.map(column => (
                  <td key={column} data-name={column}>
                    <input
                      aria-label={`${column} of row ${row['Refused-Row']}`}
                      class={row['Refused-Column'] === column ? 'wrong' : undefined}
                      value={changed[n]?.[column] ?? row[column]}
                      onInput={event => {
                        const { value } = event.currentTarget
                        setChanged(before => ({ ...before, [n]: { ...before[n], [column]: value } }))
                      }}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {data.rows.length > most && (
        <p>
          The first {most} of {count(data.rows.length)} rows are shown.
        </p>
      )}
      <div class="actions">
        <button type="button" disabled={numbers.length === 0} onClick={send}>
          {numbers.length === 1 ? 'Send the corrected row' : `Send ${numbers.length} corrected rows`}
        </button>
      </div>
    </section>
  )
}
