import type { Knex } from 'knex'
import type { TenantId } from '../../db/connect.js'
import type { PublishedForms } from '../../db/forms/published-forms.js'
import { formTemplates } from '../../db/forms/templates.js'
import type { BuildingBlock, FormTemplate } from '../../forms/template.js'
import { invalid, notFound } from '../../runtime/problem.js'

/**
 * The version of a form that a path names.
 * @param version as it stands in the path. @param parameter its name there.
 * @throws Problem 400 where the version is no number; 404 where there is none, or it is not in production.
 */
export async function publishedForm(
  forms: PublishedForms,
  tenant: TenantId,
  formKey: string,
  version: string,
  parameter = 'formVersion',
): Promise<FormTemplate> {
  const template = await forms.template(tenant, formKey, versionIn(version, parameter))
  if (!template) throw notFound(`There is no version ${version} of a form '${formKey}' in production.`)
  return template
}

/** As {@link publishedForm}, of a building block: one of a form in production. */
export async function publishedBlock(
  db: Knex,
  tenant: TenantId,
  key: string,
  version: string,
  parameter = 'version',
): Promise<BuildingBlock> {
  const block = await formTemplates(db, tenant).block(key, versionIn(version, parameter))
  if (!block) throw notFound(`There is no version ${version} of a building block '${key}' in a form in production.`)
  return block
}

function versionIn(text: string, parameter: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw invalid([{ pointer: `/path/${parameter}`, code: 'wrong-type', detail: 'A version is a number from 1.' }])
}

/** @throws Problem 404 where a path names another tenant than the caller's, be there one or not. */
export function requireOwnTenant({ tenantKey = '' }: Record<string, string>, caller: { tenantKey: string }): void {
  if (tenantKey !== caller.tenantKey) throw notFound(`There is no tenant '${tenantKey}'.`)
}
