// The example of docs/exports.md.
import { readFileSync } from 'node:fs'
import { expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import { admin } from '../support/api.js'

test('the exports on the page are taken by a tenant with the example forms, which has all that they name', async () => {
  const [, exports = ''] =
    /^```yaml\n(forms:\n {2}exports:.*?)^```/ms.exec(readFileSync('docs/exports.md', 'utf8')) ?? []
  const platform = await admin(inject('baseUrl'))
  const demo = await platform.get<object>('/admin/v1/tenants/demo')
  const { status, body } = await platform.put('/admin/v1/tenants/demo?plan=true', { ...demo.body, ...parse(exports) })
  expect({ status, body }).toMatchObject({ status: 200, body: { applied: false } })
  expect(JSON.stringify(body)).not.toContain('not-published')
  expect(JSON.stringify(body)).toContain('/forms/exports/warehouse')
})
