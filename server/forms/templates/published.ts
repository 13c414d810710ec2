// Loads the published form or building block that a path names.
import type { Knex } from 'knex'
import Type from 'typebox'
import type { TenantId } from '../../../db/connect.js'
import type { PublishedForms } from '../../../db/forms/templates/published-forms.js'
import { formTemplates } from '../../../db/forms/templates/templates.js'
import type { BuildingBlock, FormTemplate } from '../../../forms/template.js'
import { notFound } from '../../../runtime/problem.js'

/** A version in a path. */
export const Version = Type.Integer({ minimum: 1 })

/**
 * The version of a form that a path names.
 * @throws Problem 404 where there is none, or it is not in production.
 */
export async function publishedForm(
  forms: PublishedForms,
  tenant: TenantId,
  formKey: string,
  version: number,
): Promise<FormTemplate> {
  const template = await forms.template(tenant, formKey, version)
  if (!template) throw notFound(`There is no version ${version} of a form '${formKey}' in production.`)
  return template
}

/** As {@link publishedForm}, of a building block: one of a form in production. */
export async function publishedBlock(db: Knex, tenant: TenantId, key: string, version: number): Promise<BuildingBlock> {
  const block = await formTemplates(db, tenant).block(key, version)
  if (!block) throw notFound(`There is no version ${version} of a building block '${key}' in a form in production.`)
  return block
}

/** @throws Problem 404 where a path names another tenant than the caller's, be there one or not. */
export function requireOwnTenant({ tenantKey = '' }: Record<string, string>, caller: { tenantKey: string }): void {
  if (tenantKey !== caller.tenantKey) throw notFound(`There is no tenant '${tenantKey}'.`)
}
