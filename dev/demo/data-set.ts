// Demo: the refresh of a data set.
import { isDeepStrictEqual } from 'node:util'
import { Type } from 'typebox'
import { dataPointOf, type Vaccination } from '../provider/vaccinations.js'
import { type Client, DemoError, patiently } from './client.js'
import { followJob, printJob } from './jobs.js'
import { count, pace } from './progress.js'
import { type Register, since, whileItFails } from './register.js'

/** The programme of which the data set is; see dev/demo-glue.ts. */
export const programme = 'routine'
export const rowsPath = 'api/v1/dataSet/vaccinations/rows'

const Row = Type.Object({
  Id: Type.String(),
  SubjectIdentifier: Type.String(),
  DataPointItems: Type.Array(
    Type.Object({ Key: Type.String(), Value: Type.Object({ DataType: Type.String(), Value: Type.Unknown() }) }),
  ),
})
export type Row = Type.Static<typeof Row>

export const Rows = Type.Object({
  AsOf: Type.Union([Type.String(), Type.Null()]),
  Generation: Type.Integer(),
  Edges: Type.Array(Type.Object({ Node: Row })),
  PageInfo: Type.Object({
    HasNextPage: Type.Boolean(),
    EndCursor: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
})

/** Refreshes the data set while the register fails, and compares what the platform then has with what the register has. */
export async function refreshDataSet(client: Client, register: Register): Promise<void> {
  console.log(`The register of vaccinations at ${register.url} is told to fail one call in five, and to be slow.`)
  console.log('Its data is fetched nevertheless, in one request:')
  const before = await register.answers('GET /vaccinations')
  const start = performance.now()
  const behaviour = { failRate: 0.15, dropRate: 0.05, slowMs: 20, seed: 1789 }
  const job = await whileItFails(register, behaviour, async () => {
    const path = 'api/v1/dataSet/vaccinations/refresh'
    // It may come twice: the second finds the refresh under way.
    return followJob(client, await patiently(() => client.post(path, {}, { prefer: 'respond-async' })))
  })
  const took = performance.now() - start
  const { made, failed } = since(before, await register.answers('GET /vaccinations'))

  const [theirs, ours] = [await register.rows(programme), await readRows(client)]
  const { seconds, perSecond } = pace(ours.length, performance.now() - took)
  console.log(`\n${count(ours.length)} vaccinations of the ${programme} programme in ${seconds}, ${perSecond} a second`)
  console.log(`Calls     ${count(made)} of the register, of which ${count(failed)} failed and were made again`)
  const wrong = differences(theirs, ours)
  console.log(`Compared  ${count(theirs.length)} rows there, ${count(ours.length)} here, ${count(wrong.length)} differ`)
  printJob(client, job)
  if (wrong.length > 0) {
    const headline = `${count(wrong.length)} rows are not what the register has.`
    throw new DemoError(headline, wrong.slice(0, 10), 'Has the register changed meanwhile? Run the demo again.')
  }
}

/** All rows of the data set. */
async function readRows(client: Client): Promise<Row[]> {
  const rows: Row[] = []
  let after = ''
  do {
    const { Edges, PageInfo } = await client.get(`${rowsPath}?First=1000${after}`, Rows)
    rows.push(...Edges.map(({ Node }) => Node))
    after = PageInfo.HasNextPage ? `&After=${encodeURIComponent(PageInfo.EndCursor ?? '')}` : ''
  } while (after !== '')
  return rows
}

/** Lines about rows that are not the same on both sides. */
function differences(theirs: readonly Vaccination[], ours: readonly Row[]): string[] {
  const left = new Map(ours.map(row => [row.Id, row]))
  const wrong = theirs.flatMap(row => {
    const kept = left.get(row.id)
    left.delete(row.id)
    if (!kept) return [`${row.id} is missing`]
    const { Id, SubjectIdentifier, DataPointItems } = kept
    return isDeepStrictEqual({ Id, SubjectIdentifier, DataPointItems }, dataPointOf(row))
      ? []
      : [`${row.id} is another`]
  })
  return [...wrong, ...[...left.keys()].map(id => `${id} is not there any more`)]
}
