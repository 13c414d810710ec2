// The rows that an import has refused, as a table in which they are corrected and sent again.
import { parse } from 'csv-parse/browser/esm/sync'
import { useMemo, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { api, type Job, type Problem, problemOf } from '../api.js'
import { useReading } from '../reading.js'
import { at } from './links.js'
import { save } from './save.js'
import { Pending, ProblemBox } from './shown.js'

/** How many rows are shown at most. More are better corrected in a file. */
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

/** Reads the refused rows as the CSV that the API makes of them. */
const readCsv = (jobId: string) =>
  api.GET('/api/v1/jobs/{jobId}/rejects', { params: { path: { jobId } }, parseAs: 'text' })

function refusedOf(csv: string): Refused {
  const separator = /([,;\t])"?Refused-Row/.exec(csv)?.[1] ?? ','
  const [columns = [], ...lines]: string[][] = parse(csv, { delimiter: separator, relax_column_count: true })
  const rows = lines.map(cells => Object.fromEntries(columns.map((column, n) => [column, unguarded(cells[n] ?? '')])))
  return { columns, separator, rows }
}

/** Returns the columns of the file, those in which something is wrong first. */
function ownColumns({ columns, rows }: Refused): string[] {
  const isWrong = (column: string) => rows.some(row => row['Refused-Column'] === column)
  return columns.filter(column => !said.test(column)).toSorted((a, b) => +isWrong(b) - +isWrong(a))
}

/** The number of a row in the file that was imported. */
const numberOf = (row: Refused['rows'][number]): string => row['Refused-Row'] ?? ''

/** In files, what a spreadsheet would run as a formula has an apostrophe in front, which an import takes away (docs/imports.md). */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/
const guarded = (text: string): string => (formula.test(text) ? `'${text}` : text)
const unguarded = (text: string): string => (text.startsWith("'") && formula.test(text) ? text.slice(1) : text)

const cell = (text: string): string => (/["\r\n,;\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Writes rows as the import took them: CSV with its separator, or lines of JSON. */
function fileOf({ columns, separator }: Refused, rows: Refused['rows']): { type: string; text: string } {
  const own = columns.filter(column => !said.test(column))
  if (own.length === 1 && own[0] === wholeLine)
    return { type: 'application/x-ndjson', text: rows.map(row => `${row[wholeLine]}\n`).join('') }
  const lines = [own, ...rows.map(row => own.map(column => guarded(row[column] ?? '')))]
  return { type: 'text/csv', text: lines.map(cells => `${cells.map(cell).join(separator)}\r\n`).join('') }
}

export function RefusedRows({ job }: { job: Job }) {
  const [refusal, setRefusal] = useState<Problem>()
  /** Has the browser store all rows, with what is wrong with each. */
  const store = async () => {
    const { data, error } = await readCsv(job.jobId).catch(error => ({ error, data: undefined }))
    setRefusal(data === undefined ? problemOf(error) : undefined)
    if (data === undefined) return
    save(new Blob([data], { type: 'text/csv' }), 'refused-rows.csv')
  }
  const isShown = (job.counts.refused ?? 0) <= most
  return (
    <section>
      <h2>Rows that were refused</h2>
      <p>
        {isShown
          ? 'Correct them here and send them again, which a new job imports. Or '
          : 'They are too many to be corrected here: '}
        <button type="button" class="link" onClick={store}>
          store them as a file
        </button>{' '}
        for a spreadsheet.
      </p>
      {refusal && <ProblemBox problem={refusal} />}
      {isShown && <Corrections job={job} />}
    </section>
  )
}

/** By the number of the row in the file, new cells by column. */
type Changed = Record<string, Record<string, string>>

/** What was corrected and not sent, by job: it is still there when somebody comes back from another page of the console. */
const unsent = new Map<string, Changed>()

// The browser asks before the console is left, which it also is when the token ends.
addEventListener('beforeunload', event => {
  if (unsent.size > 0) event.preventDefault()
})

/** The refused rows as a table. Those in which something was changed are sent again. */
function Corrections({ job: { jobId, counts } }: { job: Job }) {
  const { route } = useLocation()
  // While the import goes on, more rows are refused.
  const { data, problem } = useReading(
    async () => {
      const { data: csv, error } = await readCsv(jobId)
      return csv === undefined ? { error } : { data: refusedOf(csv) }
    },
    [jobId],
    counts.refused,
  )
  // The columns do not change places later on, because an input that is moved loses the focus.
  const own = useMemo(() => data && ownColumns(data), [String(data?.columns)])
  const [changed, setChanged] = useState(unsent.get(jobId) ?? {})
  const [refusal, setRefusal] = useState<Problem>()
  const [isBusy, setBusy] = useState(false)
  if (!data || !own) return <Pending data={data} problem={problem} />
  const correct = (number: string, column: string, text: string) => {
    const before = unsent.get(jobId)
    const after = { ...before, [number]: { ...before?.[number], [column]: text } }
    unsent.set(jobId, after)
    setChanged(after)
  }
  const corrected = data.rows.flatMap(row => {
    const cells = changed[numberOf(row)]
    return cells ? [{ ...row, ...cells }] : []
  })
  const send = async () => {
    const { type, text } = fileOf(data, corrected)
    setBusy(true)
    const { data: next, error } = await api
      .POST('/api/v1/jobs/{jobId}/retry', {
        params: { path: { jobId }, header: { 'Idempotency-Key': crypto.randomUUID() } },
        body: text,
        bodySerializer: file => file,
        headers: { 'content-type': type },
      })
      .catch(error => ({ error, data: undefined }))
    setBusy(false)
    if (!next) return setRefusal(problemOf(error))
    unsent.delete(jobId)
    route(at(`jobs/${next.jobId}`))
  }
  return (
    <>
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
            {data.rows.map(row => {
              const number = numberOf(row)
              return (
                <tr key={number}>
                  <td data-name="Row">{number}</td>
                  <td class="wrong" data-name="What is wrong">
                    {row['Refused-Detail']}
                  </td>
                  {own.map(column => (
                    <td key={column} data-name={column}>
                      <input
                        aria-label={`${column} of row ${number}`}
                        class={row['Refused-Column'] === column ? 'wrong' : undefined}
                        value={changed[number]?.[column] ?? row[column]}
                        onInput={event => correct(number, column, event.currentTarget.value)}
                      />
                    </td>
                  ))}
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      <div class="actions">
        <button type="button" disabled={isBusy || corrected.length === 0} onClick={send}>
          {corrected.length > 1 ? `Send ${corrected.length} corrected rows` : 'Send the corrected row'}
        </button>
      </div>
    </>
  )
}
