// Loads the published form or building block that a path names.
import type { Knex } from 'knex'
import Type from 'typebox'
import type { TenantId } from '../../../db/connect.js'
import type { PublishedForms } from '../../../db/forms/templates/published-forms.js'
import { formTemplates } from '../../../db/forms/templates/templates.js'
import type { BuildingBlock, FormTemplate } from '../../../forms/template.js'
import { notFound } from '../../../runtime/problems/problem.js'

/** Schema of a version in a path. */
export const Version = Type.Integer({ minimum: 1 })

/**
 * Loads the version of a form that a path names.
 * @throws Problem 404 if it does not exist or is not in production.
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

/** Loads a building block of any form in production. @throws Problem 404 if there is none. */
export async function publishedBlock(db: Knex, tenant: TenantId, key: string, version: number): Promise<BuildingBlock> {
  const block = await formTemplates(db, tenant).block(key, version)
  if (!block) throw notFound(`There is no version ${version} of a building block '${key}' in a form in production.`)
  return block
}

/** Requires that a path names the caller's own tenant. @throws Problem 404 for any other, whether it exists or not. */
export function requireOwnTenant({ tenantKey = '' }: Record<string, string>, caller: { tenantKey: string }): void {
  if (tenantKey !== caller.tenantKey) throw notFound(`There is no tenant '${tenantKey}'.`)
}
