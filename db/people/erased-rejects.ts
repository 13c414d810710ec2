// Deletes refused rows of imports that name an erased subject.
import type { Knex } from 'knex'
import type { TenantId } from '../connect.js'
import type { ErasedPart } from '../erased-part.js'
import { toBytes, type ValueHash } from '../frame/fields/matching.js'
import { whereBeyond } from '../paging.js'
import { deleteRows } from '../rows.js'

/** What names a subject in refused rows and in documents. Subjects that were merged into it count as well. */
export interface Named {
  /** The hash of the matching values of each. */
  hashes: readonly ValueHash[]
  /** The same values as texts, a set for each. A row or document in which all texts of a set occur names the subject. */
  texts: readonly (readonly string[])[]
}

/** The most rows that one step reads, and the most bytes, unless a single row has more: a row may have 1 MB. */
const atOnce = 500
const bytesAtOnce = 4 * 1024 * 1024

/**
 * Deletes the refused rows that mean the subject, or in which all texts of at least one set occur.
 * @param after the `after` that the previous step returned.
 */
export async function eraseRejects(
  trx: Knex.Transaction,
  tenant: TenantId,
  { hashes, texts }: Named,
  after: string | undefined,
): Promise<ErasedPart> {
  const mine = () => trx('import_rejects').where({ tenant_id: tenant })
  // Looks first, because a deletion also locks the places of rows that are not there.
  const meant: RowKey[] = await mine()
    .whereIn('matching_hash', hashes.map(toBytes))
    .limit(atOnce)
    .select('job_id', 'row_no')
  await remove(trx, tenant, meant)
  if (meant.length === atOnce) return { erased: meant.length, more: true, after }
  if (texts.length === 0) return { erased: meant.length, more: false }
  const [job, row]: [string, number] = after === undefined ? ['', 0] : JSON.parse(after)
  const beyond = () => whereBeyond(mine(), ['job_id', '>', job], ['row_no', '>', row]).orderBy(['job_id', 'row_no'])
  const sizes: { size: number }[] = await beyond().limit(atOnce).select(trx.raw('OCTET_LENGTH(content) AS size'))
  let bytes = 0
  const fitting = sizes.filter(({ size }) => {
    bytes += Number(size)
    return bytes <= bytesAtOnce
  })
  const rows: (RowKey & { content: Buffer })[] = await beyond()
    .limit(Math.max(1, fitting.length))
    .select('job_id', 'row_no', 'content')
  const naming = rows.filter(({ content }) => texts.some(set => namesAll(content.toString(), set)))
  await remove(trx, tenant, naming)
  const last = rows.length < sizes.length || sizes.length === atOnce ? rows.at(-1) : undefined
  const position = last && JSON.stringify([last.job_id, last.row_no])
  return { erased: meant.length + naming.length, more: last !== undefined, after: position }
}

interface RowKey {
  job_id: string
  row_no: number
}

function remove(trx: Knex.Transaction, tenant: TenantId, rows: readonly RowKey[]): Promise<void> {
  const keys = rows.map(({ job_id, row_no }) => [tenant, job_id, row_no])
  return deleteRows(trx, 'import_rejects', ['tenant_id', 'job_id', 'row_no'], keys)
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
