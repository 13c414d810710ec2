import type { Knex } from 'knex'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { extractedIds, formAsked } from '../support/extracts.js'
import type { FormsTenant } from '../support/forms.js'
import { notesTenant, type Patient, whole } from '../support/instances.js'
import { openDatabase } from '../support/stored-subjects.js'

let db: Knex
let tenant: FormsTenant
let patient: Patient
beforeAll(async () => {
  db = openDatabase()
  ;({ tenant, patient } = await notesTenant())
})
afterAll(() => db.destroy())

/** Nothing of this tenant has a time before it: as if the server's clock stood there. */
const setClock = async (instant: Date) =>
  db('form_clocks')
    .where({ tenant_id: await tenantIdOf(db, tenant.tenantKey) })
    .update({ instant })

const submit = async (id: string) => expect(await patient.submit(id, whole, '*')).toMatchObject({ status: 200 })
const withdraw = async (id: string) => expect(await patient.withdraw(id)).toMatchObject({ status: 200 })
const reinstate = async (id: string) => expect(await patient.reinstate(id)).toMatchObject({ status: 200 })
const again = async (id: string) => {
  expect(await patient.amend(id)).toMatchObject({ status: 200 })
  await submit(id)
}
type Deed = (id: string) => Promise<unknown>

test.each<[string, Deed[], Deed[], number]>([
  ['withdrawn, then reinstated', [withdraw], [reinstate], 1],
  ['amended, then amended again', [again], [again], 1],
  ['withdrawn and reinstated, then amended', [withdraw, reinstate], [again], 1],
  ['amended, then withdrawn', [again], [withdraw], 0],
  ['amended and withdrawn, then reinstated and amended', [again, withdraw], [reinstate, again], 1],
])(
  'what is %s after the clock of the database was set back is never twice in an extract',
  async (_, before, after, last) => {
    const id = await patient.created()
    await submit(id)
    const ahead = new Date(Date.now() + 3_600_000)
    await setClock(ahead)
    for (const deed of before) await deed(id)
    await setClock(new Date(0))
    for (const deed of after) await deed(id)
    const times = async () => {
      const [found] = await extractedIds(tenant.forms, { definitions: [formAsked('small')] })
      return found?.filter(each => each === id).length
    }
    expect(await times()).toBeLessThanOrEqual(1)
    await setClock(ahead)
    expect(await times()).toBe(last)
    await setClock(new Date(0))
  },
)
