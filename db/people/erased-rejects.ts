// Deletes refused rows of imports that name an erased subject.
import type { Knex } from 'knex'
import type { TenantId } from '../connect.js'
import type { ErasedPart } from '../erased-part.js'
import { whereBeyond } from '../paging.js'
import { deleteRows } from '../rows.js'

/** How many rows one step reads. A row may have 1 MB, but usually has some hundred bytes. */
const atOnce = 500

/**
 * Deletes the refused rows in which all texts of at least one set occur.
 * @param after the `after` that the previous step returned.
 */
export async function eraseRejects(
  trx: Knex.Transaction,
  tenant: TenantId,
  sets: readonly (readonly string[])[],
  after: string | undefined,
): Promise<ErasedPart> {
  if (sets.length === 0) return { erased: 0, more: false }
  const [job, row]: [string, number] = after === undefined ? ['', 0] : JSON.parse(after)
  const mine = trx('import_rejects').where({ tenant_id: tenant })
  const rows: { job_id: string; row_no: number; content: Buffer }[] = await whereBeyond(
    mine,
    ['job_id', '>', job],
    ['row_no', '>', row],
  )
    .orderBy(['job_id', 'row_no'])
    .limit(atOnce)
    .select('job_id', 'row_no', 'content')
  const naming = rows.filter(({ content }) => sets.some(texts => namesAll(content.toString(), texts)))
  const keys = naming.map(({ job_id, row_no }) => [tenant, job_id, row_no])
  await deleteRows(trx, 'import_rejects', ['tenant_id', 'job_id', 'row_no'], keys)
  const last = rows.length === atOnce ? rows.at(-1) : undefined
  const position = last && JSON.stringify([last.job_id, last.row_no])
  return { erased: naming.length, more: last !== undefined, after: position }
}

/** Returns true if all texts occur in a row or document, each as whole words, plain or escaped as in CSV, JSON or XML. */
export const namesAll = (content: string, texts: readonly string[]): boolean =>
  texts.every(text =>
    [text, text.replaceAll('"', '""'), JSON.stringify(text).slice(1, -1), asXml(text)].some(each =>
      new RegExp(`(?<![\\p{L}\\p{N}])${escaped(each)}(?![\\p{L}\\p{N}])`, 'u').test(content),
    ),
  )

const asXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Escapes a text for a regular expression. With the flag `u` only special characters may be escaped. */
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
