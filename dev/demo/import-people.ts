// Demo: imports people from a CSV with faulty rows, and kills the worker meanwhile.
import { parse } from 'csv-parse/sync'
import type { Client, Job } from '../../client/index.js'
import { csvRow } from '../../db/frame/imports/csv-rows.js'
import { maxPeople, nationalIdOf } from '../national-ids.js'
import { assignments, destination, source } from './assignments.js'
import { DemoError } from './client.js'
import type { Place } from './french-places.js'
import { followJob, printJob } from './jobs.js'
import { type Person, people } from './people.js'
import { count, pace } from './progress.js'
import { countSubjects } from './subject-list.js'

const seed = 1789

/** Columns of the file. All have the names of their fields, except `Born`, which is mapped. */
const columns = [
  'nationalId',
  'givenName',
  'familyName',
  'Born',
  'email',
  'phone',
  'languages',
  'keyWorker',
  'consent',
  'weight',
  'StructuralEntityKeys',
] as const
type Row = Record<(typeof columns)[number], string>

/** How many people of the file have no family name. The import refuses their rows, so there are some to correct in the console. */
const namelessPeople = 10

/** Every 250th row gets a fault, of each kind in turn: a date in another format, a decimal comma, no name, no such place. */
const faultyRows = 250
const faults: readonly ((row: Row) => Partial<Row>)[] = [
  ({ Born }) => ({ Born: Born.split('-').reverse().join('.') }),
  ({ weight }) => ({ weight: weight.replace('.', ',') }),
  () => ({ familyName: '' }),
  () => ({ StructuralEntityKeys: 'com-00000' }),
]

/** Converts a person to a row of the file. Unknown values become empty cells. */
export const rowOf = (person: Person, placeKeys: readonly string[]): Row => ({
  nationalId: person.nationalId,
  givenName: person.givenName,
  familyName: person.familyName,
  Born: person.dateOfBirth,
  email: person.email ?? '',
  phone: person.phone ?? '',
  languages: person.languages.join('|'),
  keyWorker: person.keyWorker ?? '',
  consent: String(person.consent),
  weight: person.weight.toFixed(1),
  StructuralEntityKeys: placeKeys.join('|'),
})

/**
 * Imports the people, corrects the refused rows and imports those again, with some that only a person can correct. People are matched by
 * their national id, so a second run updates them.
 * @param killWorker kills the worker and returns its process id, or undefined if it runs elsewhere.
 */
export async function importPeople(
  client: Client,
  places: readonly Place[],
  killWorker: () => number | undefined,
): Promise<void> {
  const keyWorkers = (await client.get('/api/v1/users')).data.map(({ id }) => id)
  const persons = people(maxPeople, seed, keyWorkers)
  const keys = assignments(places, persons.length, seed)
  const right = persons.map((person, n) => rowOf(person, keys[n] ?? []))
  const sent = right.map((row, n) => ({ ...row, ...(n % faultyRows === 0 ? faultOf(n)(row) : {}) }))
  console.log(
    `${count(sent.length)} invented people of ${source.name}, in one CSV; ${sent.length / faultyRows} have a fault`,
  )
  console.log(`Such as ${examples(persons)}`)

  const before = await countSubjects(client)
  const start = performance.now()
  const accepted = await upload(client, csvOf(columns, sent))
  const job = await followJob(client, accepted, killedAfter(sent.length / 4, killWorker))
  const { seconds, perSecond } = pace(sent.length, start)
  console.log(`\n${count(sent.length)} rows in ${seconds}, ${perSecond} a second`)
  printJob(client, job)

  const refused = await refusedRows(client, job)
  expect(refused.length, sent.length / faultyRows, 'refused rows')
  console.log(`\nRefused   ${refused.length} rows, as they came, with the place and the reason. One of each kind:`)
  for (const row of refused.slice(0, faults.length))
    console.log(`          row ${row['Refused-Row']}, ${row['Refused-Column']}: ${row['Refused-Detail']}`)

  const byId = new Map(right.map(row => [row.nationalId, row]))
  const corrected = refused.map(row => ({ ...row, ...byId.get(row.nationalId ?? '') }))
  // The import refuses these rows. A program cannot guess a family name, so they wait in the console for a person.
  const nameless = people(namelessPeople, seed + 1, keyWorkers).map((person, n) => ({
    ...rowOf({ ...person, nationalId: nationalIdOf(maxPeople + n) }, keys[n] ?? []),
    familyName: '',
  }))
  const again = await followJob(
    client,
    await upload(client, csvOf(Object.keys(refused[0] ?? {}), [...corrected, ...nameless])),
  )
  const { created = 0, updated = 0, refused: left = 0 } = again.counts
  expect(left, namelessPeople, 'rows without a family name')
  expect(created + updated, refused.length, 'corrected rows that are written')
  const added = (await countSubjects(client)) - before
  console.log(`Corrected ${created + updated} and sent again; ${count(added)} people are new`)
  if (added < sent.length) {
    console.log('          Known by their national ids; they are at their first places again, as before the transfer.')
  }
  console.log(`Left      ${left} more without a family name for you: sign in and fill them in at`)
  console.log(`          ${client.url(`/console/jobs/${again.jobId}`)}`)
  const to = (prefix: string) => count(keys.filter(each => each.some(key => key.startsWith(prefix))).length)
  console.log(
    `Assigned  ${to('com-')} to the commune where they live, ${to(source.key)} to the department ${source.name},`,
  )
  console.log(`          ${to(destination.key)} of these to ${destination.name} too`)
}

const faultOf = (n: number) => faults[(n / faultyRows) % faults.length] ?? (() => ({}))

/** Starts the import of a CSV. Its column `Born` is mapped to the field for the date of birth. */
async function upload(client: Client, body: string): Promise<Job> {
  const params = { query: { Map: ['Born:dateOfBirth'] } }
  const headers = { 'content-type': 'text/csv' }
  return (await client.post('/api/v2/subject/import', { params, headers, body })).data
}

const csvOf = (header: readonly string[], rows: readonly Record<string, string>[]): string =>
  [header, ...rows.map(row => header.map(column => row[column] ?? ''))]
    .map(cells => `${csvRow(cells, 'comma')}\n`)
    .join('')

/** Returns a listener that kills the worker once, as soon as this many rows are done. */
function killedAfter(rows: number, killWorker: () => number | undefined) {
  let isKilled = false
  return ({ progress: { done, total } }: Job): void => {
    if (isKilled || done < rows || done >= total) return
    isKilled = true
    const pid = killWorker()
    const where = pid === undefined ? 'runs elsewhere; kill it, if you like' : `is killed: kill -9 ${pid}`
    console.log(`\nThe worker ${where}. The import goes on with the next row.`)
  }
}

async function refusedRows(client: Client, { jobId }: Job): Promise<Record<string, string>[]> {
  const init = { params: { path: { jobId } }, headers: { accept: 'text/csv' }, parseAs: 'text' } as const
  return parse((await client.get('/api/v1/jobs/{jobId}/rejects', init)).data, { columns: true })
}

function expect(found: number, wanted: number, what: string): void {
  if (found === wanted) return
  throw new DemoError(
    `There are ${found} ${what}, and not ${wanted}.`,
    [],
    'This is a mistake in the demo, or in the API.',
  )
}

/** Names the first person with each of some mother tongues. */
function examples(persons: readonly Person[]): string {
  return ['fr', 'pl', 'el', 'uk', 'ar', 'zh']
    .flatMap(tongue => persons.find(({ languages }) => languages[0] === tongue) ?? [])
    .map(({ givenName, familyName }) => `${givenName} ${familyName}`)
    .join(', ')
}
