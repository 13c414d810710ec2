// Refused rows of imports that name an erased subject.
import type { Knex } from 'knex'
import type { TenantId } from '../../connect.js'
import { keepBeyond } from '../../paging.js'
import { deleteRows } from '../../rows.js'
import type { ErasedPart } from './erased-part.js'

/** Rows of one step. A row is 1 MB at most, and mostly some hundred bytes. */
const atOnce = 500

/**
 * Deletes the refused rows that have all texts of any of some sets.
 * @param after the row that was read last, as an earlier step gave it.
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
  const rows: { job_id: string; row_no: number; content: Buffer }[] = await keepBeyond(
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

/** Whether a row or document has all of some texts, each as words of its own, as CSV, JSON or XML would write them. */
export const namesAll = (content: string, texts: readonly string[]): boolean =>
  texts.every(text =>
    [text, text.replaceAll('"', '""'), JSON.stringify(text).slice(1, -1), asXml(text)].some(each =>
      new RegExp(`(?<![\\p{L}\\p{N}])${escaped(each)}(?![\\p{L}\\p{N}])`, 'u').test(content),
    ),
  )

const asXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Only the characters that stand for something: with the flag `u` no other may be escaped. */
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
