// Writes form templates through the API.
import type { Api, Reply } from './api.js'

/** The response to writing a template. */
interface WrittenForm {
  key: string
  version: number
  status: 'Development' | 'Production'
  created: boolean
  applied: boolean
  warnings: { pointer: string; code: string; detail: string }[]
  comparedWith: number | null
  breaks: { code: string; buildingBlock: string; control?: string; detail: string }[]
}

/** A template as its author writes it, with the members that tests use. */
export interface TemplateBody {
  key: string
  version: number
  [member: string]: unknown
}

export const formPath = (tenantKey: string, { key, version }: { key: string; version: number }) =>
  `/admin/v1/tenants/${tenantKey}/forms/${encodeURIComponent(key)}/${version}`

/** Writes a version of a form. Key and version are those of the body. @param platform client from `admin` in api.ts. */
export const putForm = (
  platform: Api,
  tenantKey: string,
  body: TemplateBody,
  query = '',
): Promise<Reply<WrittenForm>> => platform.put<WrittenForm>(`${formPath(tenantKey, body)}${query}`, body)
