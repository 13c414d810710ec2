// The example manifest of the project.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Compile } from 'typebox/schema'
import { expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import { projectRoot } from '../../runtime/process/version.js'
import { admin, api } from '../support/api.js'
import { startEvaluator } from '../support/expressions.js'
import { manifestOf } from '../support/manifest.js'

const example = parse(await readFile(join(projectRoot, 'examples/tenant.yaml'), 'utf8'))

test('the example passes the JSON Schema for editors and all other checks, with warnings about its forms only', async () => {
  const schema = Compile((await api(inject('baseUrl'), '').get<object>('/admin/v1/manifest.schema.json')).body)
  expect(schema.Check(example)).toBe(true)
  expect(schema.Check({ ...example, glue: { ...example.glue, endpoint: [] } })).toBe(false)
  const tenant = await manifestOf()
  const { key: _, clients: __, ...manifest } = example
  const { status, body } = await tenant.plan(manifest)
  // They are files of their own, and not written here.
  const warnings = [0, 1].map(n => ({
    pointer: `/forms/exports/0/definitions/${n}/version`,
    code: 'not-published',
    detail: expect.stringContaining('in production'),
  }))
  expect([status, body.warnings]).toEqual([200, warnings])
})

const { expression: evaluate } = startEvaluator()

test.each([
  ['two rows and a next page', [1, 2], 'c2'],
  ['one row', [1], undefined],
  ['no row', [], undefined],
])('the example makes data points of %s', async (_, ids, nextCursor) => {
  const items = ids.map(id => ({ id: `v${id}`, nationalId: `n${id}`, vaccine: 'MMR', date: '2026-01-31' }))
  const page = example.glue.endpoints.find(({ key }: { key: string }) => key === 'vaccinations-page')
  const { rows, row, next } = page.steps.at(-1).respond
  const scope = { request: {}, variables: {}, steps: { registry: { status: 200, body: { items, nextCursor } } } }
  expect(await evaluate(1, 'request', `{ "dataPoints": [${rows}.(${row})], "next": ${next} }`, scope)).toEqual({
    dataPoints: items.map(({ id, nationalId }) => ({
      Id: id,
      SubjectIdentifier: nationalId,
      DataPointItems: [
        { Key: 'vaccine', Value: { DataType: 'String', Value: 'MMR' } },
        { Key: 'given', Value: { DataType: 'Date', Value: '2026-01-31' } },
      ],
    })),
    ...(nextCursor === undefined ? {} : { next: nextCursor }),
  })
})

test('the manifest that is read of the tenant demo of npm start can be applied again', async () => {
  const platform = await admin(inject('baseUrl'))
  const { body } = await platform.get('/admin/v1/tenants/demo')
  const plan = await platform.put('/admin/v1/tenants/demo?plan=true', body)
  expect(plan.body).toMatchObject({ applied: false, changes: [] })
})
