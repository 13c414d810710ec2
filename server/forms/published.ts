import type { TenantId } from '../../db/connect.js'
import type { PublishedForms } from '../../db/forms/templates.js'
import type { FormTemplate } from '../../forms/template.js'
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
  if (!/^[1-9]\d{0,9}$/.test(version)) {
    const detail = 'A version of a form is a number from 1.'
    throw invalid([{ pointer: `/path/${parameter}`, code: 'wrong-type', detail }])
  }
  const template = await forms.template(tenant, formKey, Number(version))
  if (!template) throw notFound(`There is no version ${version} of a form '${formKey}' in production.`)
  return template
}

/** @throws Problem 404 where a path names another tenant than the caller's, be there one or not. */
export function requireOwnTenant({ tenantKey = '' }: Record<string, string>, caller: { tenantKey: string }): void {
  if (tenantKey !== caller.tenantKey) throw notFound(`There is no tenant '${tenantKey}'.`)
}
