// The calls that integrations make all day, whose costs are counted: statements in a test, processor time in a bench.
import { randomUUID } from 'node:crypto'
import { type Api, admin, type Reply } from './api.js'
import { refreshPath, scriptedGlue, scriptedProvider } from './data-sets.js'
import { addPerson, anEntity, dataTenant, plant, point } from './factories.js'
import { ended, type JobBody } from './faults.js'
import { putForm } from './forms.js'
import { createPath } from './instances.js'
import { largeForm, largeFormOf } from './large-form.js'
import { bulkPath, person, subjectsPath } from './subjects.js'
import { transferPath } from './transfers.js'

/** Makes one call, with these headers, and waits until everything that it has started has ended. */
export type EverydayCall = (headers?: Record<string, string>) => Promise<void>

const rows = 500

/**
 * Prepares a tenant with two wards of 30 people each, a form and a data set, and returns the calls, by their names. Each can be repeated
 * as often as wanted, and costs the same.
 */
export async function everydayCalls(baseUrl: string, providerPorts: readonly number[]) {
  const provider = await scriptedProvider(providerPorts)
  const numbers = Array.from({ length: 30 }, (_, n) => n)
  const glue = scriptedGlue(provider.url, { pageSize: rows })
  const tenant = await dataTenant(
    glue,
    numbers.map(n => `of-register-${n}`),
    baseUrl,
  )
  provider.says(() => ({
    dataPoints: Array.from({ length: rows }, (_, n) => point(`p-${n}`, `of-register-${n % numbers.length}`)),
  }))
  await plant(tenant, { a: null, b: null, empty: null, other: null })
  for (const ward of ['a', 'b']) for (const n of numbers) await addPerson(tenant, `${ward}-${n}`, {}, [ward])
  const subject = await addPerson(tenant, 'known', {}, ['a', 'b'])
  await mustBe([200, 201], putForm(await admin(baseUrl), tenant.tenantKey, largeForm()))
  const forms = await tenant.client(['*'], ['FormsApi'])
  const made = (headers?: Record<string, string>) => {
    const asked = { patientIdentifier: subject, instanceIdentifier: randomUUID(), formKey: 'large', formVersion: 1 }
    return mustBe([200], forms.post<{ instanceGuid: string }>(createPath, asked, headers))
  }
  let last = 0
  // Digits, because a new word would be marked for the search.
  const unknown = () => person(`${++last}`, {}, ['a'])
  const completed = async (accepted: Promise<Reply<JobBody>>) => {
    const { jobId } = await mustBe([202], accepted)
    const { status } = await ended(tenant, jobId)
    if (status !== 'Completed') throw new Error(status)
  }
  const calls: Record<string, EverydayCall> = {
    'a subject by its id, with its places': headers => done([200], tenant.get(`${subjectsPath}/${subject}`, headers)),
    'a list of 20 in two places, with its total': headers =>
      done([200], tenant.get(`${subjectsPath}?StructuralEntityKeys=a&StructuralEntityKeys=b&First=20`, headers)),
    'an upsert of a new subject': headers => done([201], tenant.post(subjectsPath, unknown(), headers)),
    'an upsert that changes nothing': headers =>
      done([200], tenant.post(subjectsPath, person('known', {}, ['a', 'b']), headers)),
    'a bulk of 20 new subjects': headers =>
      done([200], tenant.post(bulkPath, Array.from({ length: 20 }, unknown), headers)),
    'a bulk of 21 new entities': headers => {
      const entities = Array.from({ length: 21 }, () => anEntity(`e-${++last}`))
      return done([204], tenant.put('/api/v1/structuralEntity/bulk', entities, headers))
    },
    'a new form instance': async headers => {
      await made(headers)
    },
    'a submission of 200 values': async headers => {
      const { instanceGuid } = await made()
      const path = `/api/patientforms/${subject}/instance/${instanceGuid}/submit`
      await done([200], forms.post(path, { values: largeFormOf(0) }, headers))
    },
    'a refresh of 500 rows': headers =>
      completed(tenant.post<JobBody>(refreshPath(), undefined, { ...headers, prefer: 'respond-async' })),
    'a transfer of nobody': headers => {
      const body = { SourceStructuralEntityKey: 'empty', TransferMode: 'Move' }
      return completed(tenant.post<JobBody>(transferPath('other'), body, headers))
    },
  }
  return { calls, stop: () => provider.stop() }
}

async function mustBe<Body>(statuses: number[], reply: Promise<Reply<Body>>): Promise<Body> {
  const { status, body } = await reply
  if (!statuses.includes(status)) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body
}

const done = async (statuses: number[], reply: ReturnType<Api['get']>): Promise<void> => {
  await mustBe(statuses, reply)
}
