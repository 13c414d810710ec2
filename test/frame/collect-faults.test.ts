// Answers that name every fault.
import { beforeAll, expect, inject, test } from 'vitest'
import { newTenant, type Tenant } from '../support/api.js'
import { anEntity, aType } from '../support/factories.js'
import { invalid, keysOf, paths, put, refusal } from '../support/frame.js'

let tenant: Tenant
beforeAll(async () => {
  tenant = await newTenant(inject('baseUrl'))
  const beds = { TypeKey: 'Number', Name: 'Beds', Key: 'beds', Required: true }
  await put(tenant, paths.types, aType('unit'), aType('ward', { CustomFields: [beds] }))
})

const long = 'x'.repeat(256)
const value = (Key: string, given: object) => ({ CustomFieldValues: [{ Key, Value: given }] })

test('a batch that breaks rules of every kind is answered with all faults at once, and nothing is written', async () => {
  const batch = [
    anEntity('long-name', { DisplayName: long }),
    anEntity('wrong-type', { ParentKey: 7 }),
    anEntity('orphan', { ParentKey: 'nowhere' }),
    anEntity('a', { ParentKey: 'b' }),
    anEntity('b', { ParentKey: 'a' }),
    anEntity('twice'),
    anEntity('twice'),
    anEntity('typeless', { StructureTypeKey: 'no-such-type' }),
    anEntity('no-beds', { StructureTypeKey: 'ward' }),
    anEntity('text-beds', { StructureTypeKey: 'ward', ...value('beds', { String: { Value: 'many' } }) }),
    anEntity('half-beds', { StructureTypeKey: 'ward', ...value('beds', { Integer: { Value: 1.5 } }) }),
    anEntity(' blank'),
    anEntity('below-blank', { ParentKey: ' blank' }),
    null,
    anEntity('both', { DisplayName: '', ParentKey: 'nowhere', StructureTypeKey: 'no-such-type' }),
  ]
  expect(refusal(await tenant.put(`${paths.entities}/bulk`, batch))).toEqual(
    invalid(
      'too-long /0/DisplayName #0',
      'wrong-type /1/ParentKey #1',
      'unknown-parent /2/ParentKey #2',
      'cycle /3/ParentKey #3',
      'duplicate-key /6/Key #6',
      'unknown-structure-type /7/StructureTypeKey #7',
      'required-custom-field /8/CustomFieldValues #8',
      'wrong-data-type /9/CustomFieldValues/0/Value #9',
      'wrong-type /10/CustomFieldValues/0/Value/Integer/Value #10',
      'wrong-format /11/Key #11',
      'wrong-type /13 #13',
      'too-short /14/DisplayName #14',
      'wrong-format /14/DisplayName #14',
      'unknown-parent /14/ParentKey #14',
      'unknown-structure-type /14/StructureTypeKey #14',
    ),
  )
  expect(await keysOf(tenant, paths.entities)).toEqual([])
})

test('a fault of a batch names the key of its item, if that is not too long', async () => {
  const batch = [anEntity('orphan', { ParentKey: 'nowhere' }), anEntity(long), anEntity('wrong-type', { ParentKey: 7 })]
  const { body } = await tenant.put<{ errors: object[] }>(`${paths.entities}/bulk`, batch)
  expect(body.errors).toMatchObject([{ key: 'orphan' }, { index: 1 }, { index: 1 }, { key: 'wrong-type' }])
  expect(body.errors[3]).toMatchObject({ detail: 'It must be string or null.' })
  expect(body.errors[1]).not.toHaveProperty('key')
  // What the plan alone finds, too.
  const planned = await tenant.put<{ errors: object[] }>(`${paths.entities}/bulk`, batch.slice(0, 1))
  expect(planned.body.errors).toMatchObject([{ key: 'orphan', code: 'unknown-parent' }])
})

test('a single entity that breaks several rules is answered with all faults at once', async () => {
  const entity = anEntity(' a', { DisplayName: long, ParentKey: 'nowhere', StructureTypeKey: 'no-such-type' })
  expect(refusal(await tenant.put(paths.entities, entity))).toEqual(
    invalid(
      'wrong-format /Key',
      'too-long /DisplayName',
      'unknown-parent /ParentKey',
      'unknown-structure-type /StructureTypeKey',
    ),
  )
})

test('types and groups that break several rules are answered with all faults at once', async () => {
  const double = { TypeKey: 'Text', Name: 'A', Key: 'a' }
  const types = [aType('t', { Name: long }), aType('u', { CustomFields: [double, double] }), aType('t')]
  expect(refusal(await tenant.put(`${paths.types}/bulk`, types))).toEqual(
    invalid('too-long /0/Name #0', 'duplicate-key /1/CustomFields/1/Key #1', 'duplicate-key /2/Key #2'),
  )
  const group = { Key: 'g', Name: long, StructuralEntityKeys: ['nowhere'] }
  expect(refusal(await tenant.put(paths.groups, group))).toEqual(
    invalid('too-long /Name', 'unknown-structural-entity /StructuralEntityKeys/0'),
  )
  expect(await keysOf(tenant, paths.types)).toEqual(['unit', 'ward'])
})

test('a client that may not write some of the items learns of the faults of the schema alone', async () => {
  const editor = await tenant.client(['Edit:StructuralEntity'])
  const batch = [anEntity('x', { DisplayName: long }), anEntity('y', { ParentKey: 'nowhere' })]
  expect(refusal(await editor.put(`${paths.entities}/bulk`, batch))).toEqual(invalid('too-long /0/DisplayName #0'))
})
