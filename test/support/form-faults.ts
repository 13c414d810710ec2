// Finds the faults that the API reports for form templates.
import { expect } from 'vitest'
import type { Api, Problem } from './api.js'
import { aSmallTemplate } from './factories.js'
import { formPath, putForm, type TemplateBody } from './forms.js'

const section = '/buildingBlocks/0/sections/0'

interface Tenant {
  tenantKey: string
  platform: Api
}

/**
 * Returns the faults for which a template is refused, as `code pointer`. Pointers into the first section are relative to it.
 * Also asserts that nothing was written.
 */
export async function faultsOf({ platform, tenantKey }: Tenant, body: TemplateBody): Promise<string[]> {
  const { status, body: answer } = await putForm(platform, tenantKey, body)
  expect(answer).toMatchObject({ type: '/problems/validation', status })
  expect(status).toBe(400)
  expect((await platform.get(formPath(tenantKey, body))).status).toBe(404)
  const { errors = [] } = answer as unknown as Problem
  for (const { detail } of errors) expect(detail).toMatch(/^\S.*\.$/)
  return errors.map(({ code, pointer }) => `${code} ${pointer.replace(section, '')}`).sort()
}

export const a = (id: string, more: object = {}) => ({ id, label: `Label of ${id}`, ...more })
export const options = (...values: unknown[]) => values.map(value => ({ value, label: `Label of ${value}` }))

/** Returns the faults of a form with one section that has these controls and repeats. */
export const faultsOfControls = (tenant: Tenant, controls: readonly object[], repeats: readonly object[] = []) =>
  faultsOf(tenant, aSmallTemplate([], { buildingBlocks: [{ key: 'b', sections: [{ id: 's', controls, repeats }] }] }))
