import { createHash, randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { tenantIdOf } from '../../db/admin/tenants.js'
import type { Reply } from './api.js'
import { send } from './http.js'
import { storeSubject } from './stored-subjects.js'

export const megabyte = 1024 * 1024
const boundary = '--------------------------the-boundary'
export const formType = `multipart/form-data; boundary=${boundary}`

export interface Part {
  name: string
  content: string | Buffer
  fileName?: string
  type?: string
}

/** A document of so many bytes, which no other test has. */
export const aPdf = (bytes = 2_000): Buffer => {
  const head = Buffer.from('%PDF-1.7\n')
  return Buffer.concat([head, randomBytes(bytes - head.length)])
}

export const file = (content: string | Buffer, more: Partial<Part> = {}): Part => ({
  name: 'file',
  content,
  fileName: 'letter.pdf',
  type: 'application/pdf',
  ...more,
})
export const title = (content = 'Discharge letter'): Part => ({ name: 'title', content })
export const effectiveDate = (content = '2026-11-21'): Part => ({ name: 'effectiveDate', content })

/** A form as bytes; `end: false` leaves out its last boundary. */
export function formOf(parts: readonly Part[], { end = true } = {}): Buffer {
  const pieces = parts.flatMap(({ name, content, fileName, type }) => {
    const named = fileName === undefined ? '' : `; filename="${fileName}"`
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${named}\r\n`
    return [`${head}${type ? `Content-Type: ${type}\r\n` : ''}\r\n`, content, '\r\n']
  })
  return Buffer.concat([...pieces, end ? `--${boundary}--\r\n` : ''].map(piece => Buffer.from(piece)))
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** A subject of a tenant with its record, and what the database and the API know of it. */
export interface Subject {
  id: string
  path: string
  /** Sends the form; other headers and another path may be given. */
  upload(body: Buffer, options?: { path?: string; headers?: Record<string, string> }): Promise<Reply>
  /** Sends a form that must be accepted. @returns the id. */
  uploaded(parts: readonly Part[]): Promise<string>
  download(id: string): Promise<{ status: number; headers: Headers; bytes: Buffer }>
  /** What is kept for the tenant: rows by state, and chunks. */
  kept(): Promise<{ stored: number; broken: number; chunks: number }>
}

export const nothing = { stored: 0, broken: 0, chunks: 0 }

/** Makes a subject, straight in the database. */
export async function aSubject(
  db: Knex,
  { baseUrl, token, tenantKey }: { baseUrl: string; token: string; tenantKey: string },
): Promise<Subject> {
  const tenant_id = await tenantIdOf(db, tenantKey)
  const id = await storeSubject(db, tenantKey)
  const path = `/api/v1/subjects/${id}/file`
  const headers = { authorization: `Bearer ${token}` }

  const subject: Subject = {
    id,
    path,
    async upload(body, options = {}) {
      const answer = await send(baseUrl, options.path ?? `${path}/upload`, {
        method: 'POST',
        headers: { ...headers, 'content-type': formType, 'content-length': String(body.length), ...options.headers },
        body: [body],
      })
      const text = answer.text
      const given = new Headers({ 'content-type': answer.headers['content-type'] ?? '' })
      return { status: answer.status, headers: given, body: text ? JSON.parse(text) : text }
    },
    async uploaded(parts) {
      const { status, body } = await subject.upload(formOf(parts))
      if (status !== 200) throw new Error(JSON.stringify(body))
      return (body as { id: string }).id
    },
    async download(fileId) {
      const answer = await fetch(`${baseUrl}${path}/${fileId}`, { headers })
      return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
    },
    async kept() {
      const states: { state: string }[] = await db('record_items').where({ tenant_id }).select('state')
      const stored = states.filter(({ state }) => state === 'stored').length
      const chunks: object[] = await db('file_chunks').where({ tenant_id }).select('n')
      return { stored, broken: states.length - stored, chunks: chunks.length }
    },
  }
  return subject
}
