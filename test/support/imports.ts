// Uploads of imports and their refused rows.
import { inject } from 'vitest'
import type { Api, Problem, Reply } from './api.js'
import { ended, type JobBody } from './faults.js'

export const importPath = '/api/v2/subject/import'
export const entityImportPath = '/api/v1/structuralEntity/import'
/** The header line of the CSV files that {@link csv} makes. */
export const header = 'nationalId,givenName,familyName,dateOfBirth,languages,consent,weight,StructuralEntityKeys'
export const csv = (...rows: string[]): string => `${[header, ...rows].join('\n')}\n`
export const csvType = { 'content-type': 'text/csv' }
export const ndjsonType = { 'content-type': 'application/x-ndjson' }

/** Adds query parameters to a path. A parameter with several values is repeated. */
function withQuery(path: string, query: Record<string, string | string[]>): string {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  )
  return pairs.length > 0 ? `${path}?${new URLSearchParams(pairs)}` : path
}

interface UploadOptions {
  query?: Record<string, string | string[]>
  headers?: Record<string, string>
  baseUrl?: string
  /** By default the import of subjects. */
  path?: string
}

/** Uploads a file to be imported, as CSV unless the headers say otherwise. */
export async function upload(
  { token }: Api,
  body: string | Buffer,
  { query = {}, headers = csvType, baseUrl = inject('baseUrl'), path = importPath }: UploadOptions = {},
): Promise<Reply<JobBody & Problem>> {
  const answer = await fetch(new URL(withQuery(path, query), baseUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...headers },
    body: new Uint8Array(Buffer.from(body)),
  })
  return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) }
}

interface RefusedLine {
  Refused: { row: number; column: string; code: string; detail: string; errors: object[]; line?: string }
}

/** Reads the refused rows of an import from their NDJSON. */
export async function refusedRows(tenant: Api, jobId: string): Promise<RefusedLine[]> {
  const { status, body } = await tenant.get<string>(`/api/v1/jobs/${jobId}/rejects`, {
    accept: 'application/x-ndjson',
  })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line)]))
}

/** Uploads a file, which must be accepted, and waits for the end of its job. */
export async function imported(tenant: Api, body: string | Buffer, options?: UploadOptions): Promise<JobBody> {
  const answer = await upload(tenant, body, options)
  if (answer.status !== 202) throw new Error(JSON.stringify(answer.body))
  return ended(tenant, answer.body.jobId)
}
