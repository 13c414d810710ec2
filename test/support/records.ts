// Makes bodies of uploads to subject records.
import { createHash } from 'node:crypto'

export const megabyte = 1024 * 1024
const boundary = '--------------------------the-boundary'
export const formType = `multipart/form-data; boundary=${boundary}`

export interface Part {
  name: string
  content: string | Buffer
  fileName?: string
  type?: string
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

/** Makes the bytes of a multipart form; `end: false` leaves out the last boundary. */
export function formOf(parts: readonly Part[], { end = true } = {}): Buffer {
  const pieces = parts.flatMap(({ name, content, fileName, type }) => {
    const named = fileName === undefined ? '' : `; filename="${fileName}"`
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${named}\r\n`
    return [`${head}${type ? `Content-Type: ${type}\r\n` : ''}\r\n`, content, '\r\n']
  })
  return Buffer.concat([...pieces, end ? `--${boundary}--\r\n` : ''].map(piece => Buffer.from(piece)))
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

export const nothing = { stored: 0, broken: 0, chunks: 0 }
