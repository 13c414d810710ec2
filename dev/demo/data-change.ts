// Demo: the provider reports that a person's data has changed.
import type { Client } from '../../client/index.js'
import { nationalIdOf } from '../national-ids.js'
import { dataPointOf, type Vaccination } from '../provider/vaccinations.js'
import { DemoError } from './client.js'
import { programme, type Row, rowsOf, rowsPath } from './data-set.js'
import type { Register } from './register.js'

/**
 * Enters two new doses of one person into the register, and reports the change with only one of them. That one is visible at
 * once; the other one follows when the platform has fetched the person's rows again.
 * @param provider a client with the credentials of the register.
 */
export async function changeData(client: Client, provider: Client, register: Register): Promise<void> {
  const nationalId = nationalIdOf(0)
  const [pushed, alsoChanged] = newRows(nationalId)
  const rows = async (query: { MinGeneration?: number } = {}) => {
    const params = { ...rowsOf, query: { SubjectIdentifier: nationalId, ...query } }
    return (await client.get(rowsPath, { params })).data.Edges.map(({ Node }) => Node)
  }
  const print = (title: string, found: readonly Row[]) => {
    console.log(`\n${title}`)
    for (const row of found) console.log(`  ${rowText(row)}`)
  }
  print(`${nationalId} before`, await rows())

  // The register has two new doses, but its message contains only one of them.
  for (const row of [pushed, alsoChanged]) await register.put(row)
  const start = performance.now()
  const { data: change } = await provider.post('/glue-dataprovider/api/v1/dataChange/creationOrUpdate', {
    body: {
      SubjectIdentifier: nationalId,
      DataExtractsOptionsValuesFilter: { 'programme.name': programme },
      NewOrUpdatedDataPoints: [dataPointOf(pushed)],
    },
  })
  print(`after ${milliseconds(start)}: the dose that came with the message`, await rows())

  const generation = change.Generations.vaccinations ?? 0
  const after = await rows({ MinGeneration: generation })
  print(`after ${milliseconds(start)}: what the register has, fetched again (MinGeneration=${generation})`, after)
  const job = change.JobId === null ? '' : `, job ${client.url(`api/v1/jobs/${change.JobId}`)}`
  console.log(`\nMatched   ${change.MatchedDataExtracts.join(', ')}${job}`)

  const ids = after.map(({ Id }) => Id).sort()
  const expected = (await register.rowsOf(nationalId, programme)).map(({ id }) => id)
  if (ids.join() !== expected.join()) {
    throw new DemoError(`${nationalId} is not what the register has.`, [], 'See the job.')
  }
}

/** Invents two doses, different ones in every run. */
function newRows(nationalId: string): [Vaccination, Vaccination] {
  const lot = `R${String(Date.now() % 10_000).padStart(4, '0')}`
  const shared = { nationalId, programme, date: new Date().toISOString().slice(0, 10), lot, verified: false } as const
  return [
    { id: `${nationalId}-pushed`, vaccine: 'Hepatitis B', dose: 1, ...shared },
    { id: `${nationalId}-told`, vaccine: 'Pneumococcus', dose: 1, ...shared },
  ]
}

const milliseconds = (since: number): string => `${Math.round(performance.now() - since)} ms`

function rowText({ DataPointItems }: Row): string {
  const value = (key: string) => String(DataPointItems.find(({ Key }) => Key === key)?.Value.Value ?? '')
  return `${value('date')}  dose ${value('dose')}  lot ${value('lot')}  ${value('vaccine')}`
}
