// Endpoints for the PDF documents in a subject's record.
import { Readable } from 'node:stream'
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import Format from 'typebox/format'
import type { TenantId } from '../../db/connect.js'
import { isKeptDateTime, utc } from '../../db/frame/fields/custom-fields.js'
import { type RecordItem, recordItemStore } from '../../db/frame/subjects/record-items.js'
import { existingSubject } from '../../db/frame/subjects/subjects-by-id.js'
import type { Storages } from '../../db/storage/storage.js'
import { isId, newId } from '../../runtime/ids.js'
import { notFound, Problem } from '../../runtime/problems/problem.js'
import { Name } from '../../runtime/schema/key.js'
import { readHeaders } from '../commit-token.js'
import { type Endpoint, endpoint, noContent, ok } from '../endpoint.js'
import { keyReused, requestHash } from '../idempotency.js'
import { idempotencyHeaders } from '../jobs/present.js'
import { camelPage, camelPageSchema, listing, pagingQuery } from '../paging.js'
import { Id } from '../schema/guid.js'
import { SubjectPath } from './shapes.js'

const pdf = 'application/pdf'

const basic = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(?:(\d\d(?:[.,]\d+)?))?(?:(Z)|([+-]\d\d)(\d\d)?)?)?$/

/**
 * Converts a date or date-time from the basic form of ISO 8601 (`20260228T101500Z`) to the extended form. Other text is
 * returned unchanged.
 */
function extended(text: string): string {
  const [date, year, month, day, hour, minute, second = '00', utc, offset, offsetMinutes = '00'] =
    basic.exec(text) ?? []
  if (date === undefined) return text
  const ofDay = `${year}-${month}-${day}`
  const zone = utc ?? (offset === undefined ? '' : `${offset}:${offsetMinutes}`)
  return hour === undefined ? ofDay : `${ofDay}T${hour}:${minute}:${second.replace(',', '.')}${zone}`
}

const EffectiveDate = Type.Refine(
  Type.String({
    maxLength: 100,
    description: 'A date, or a date-time (in UTC where it names no zone), in ISO 8601, in its extended or basic form.',
  }),
  value => Format.IsDate(extended(value)) || isKeptDateTime(extended(value)),
  () => 'must be a date or a date-time in ISO 8601, of the years 0001 to 9999 in UTC',
)

const FilePath = Type.Object({ ...SubjectPath.properties, fileId: Id })

const orders = { id: 'id' }

const FileRead = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    title: Type.String(),
    effectiveDate: Type.String({ description: 'A date, or a date-time in UTC.' }),
    fileName: Type.String({ description: 'Empty where the upload named none.' }),
    size: Type.Integer({ description: 'Bytes.' }),
    sha256: Type.String(),
    uploadedAt: Type.String({ format: 'date-time' }),
  },
  { $id: 'SubjectFile' },
)

const common = { tag: 'Subject records', scopes: ['FrameApi'] } as const

interface Dependencies {
  db: Knex
  storages: Storages
  /** Largest file, in bytes. */
  maxBytes: number
}

/** Uploads, lists, downloads and deletes documents (spec frame "Subject record"). */
export const recordItemRoutes = ({ db, storages, maxBytes }: Dependencies): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'uploadRecordItem',
    summary: 'Add a PDF document to the record of a subject',
    description:
      'Stores a PDF document with its title and its date, and answers with its id. The file is checked by its first bytes, not by its name. Without an `Idempotency-Key` a repetition adds a second document; with one, the same document under the same key is stored once. An upload that breaks off leaves nothing behind.',
    method: 'post',
    path: '/api/v1/subjects/:subjectId/file/upload',
    params: SubjectPath,
    permission: 'Create:SubjectRecordItem',
    headers: idempotencyHeaders,
    form: {
      fields: Type.Object({ title: Name, effectiveDate: EffectiveDate }),
      file: {
        name: 'file',
        type: pdf,
        magic: '%PDF-',
        maxBytes,
        description: `A PDF document of at most ${maxBytes / 1024 / 1024} MB.`,
      },
    },
    answers: { 200: Type.Object({ id: Type.String({ format: 'uuid' }) }) },
    async handle({ params, caller, readForm, idempotency, log }) {
      const items = recordItemStore(db, storages, caller.tenantId)
      const { id: subjectId } = await existingSubject(db, caller.tenantId, params.subjectId)
      const id = newId()
      let begun = false
      try {
        const { fields, kept } = await readForm(async file => {
          begun = true
          await items.begin(id, { subjectId, actor: caller.clientId })
          return items.keep(id, file.name, file.content)
        })
        const { title } = fields
        const effectiveDate = extended(fields.effectiveDate)
        const effective_date = Format.IsDate(effectiveDate) ? effectiveDate : utc(effectiveDate)
        const item = { ...kept, title, effective_date }
        const own = idempotency && {
          key: idempotency.key,
          hash: requestHash(idempotency.hash, JSON.stringify([title, effective_date, kept.file_name, kept.sha256])),
        }
        const earlier = await items.complete(id, item, { actor: caller.clientId, idempotency: own })
        if (!earlier) return ok({ id })
        if (earlier.request_hash !== own?.hash) throw keyReused()
        await items.discard(id)
        return ok({ id: earlier.id })
      } catch (error) {
        const discarded = begun && items.discard(id).catch(err => log.warn({ err, id }, 'left to the retention'))
        // If the database or the storage is down, waiting for it again would only delay the answer. Retention deletes it.
        if (error instanceof Problem && error.status < 500) await discarded
        throw error
      }
    },
  }),

  endpoint({
    ...common,
    operationId: 'listRecordItems',
    readsPeople: true,
    summary: 'The documents in the record of a subject, paged',
    description:
      'Lists the documents of a subject, the first uploaded first, with their size and SHA-256. The documents of merged subjects are among them. The contents are read one by one with getRecordItemFile.',
    method: 'get',
    path: '/api/v1/subjects/:subjectId/file',
    params: SubjectPath,
    permission: 'View:SubjectRecordItem',
    query: pagingQuery(orders, {}),
    headers: readHeaders,
    answers: { 200: camelPageSchema(FileRead) },
    async handle({ params, query, caller, read }) {
      const { id: subjectId } = await existingSubject(db, caller.tenantId, params.subjectId)
      const list = listing(query, orders, ['file', caller.tenantId, subjectId])
      const page = await read(server =>
        recordItemStore(server, storages, caller.tenantId).page(subjectId, list.request),
      )
      return ok(await camelPage(page, list, 'id', present))
    },
  }),

  endpoint({
    ...common,
    operationId: 'deleteRecordItem',
    summary: 'Remove a document from the record of a subject',
    description:
      'Removes a document for good, with its content. It disappears from the list at once; a content whose storage is away is deleted later. Repeating the request is answered 404.',
    method: 'delete',
    path: '/api/v1/subjects/:subjectId/file/:fileId',
    params: FilePath,
    permission: 'Delete:SubjectRecordItem',
    answers: { 204: null },
    async handle({ params, caller, log }) {
      const items = recordItemStore(db, storages, caller.tenantId)
      const item = await existing(db, caller.tenantId, items, params)
      await items.hide(item.id)
      await items.discard(item.id, item.storage).catch(err => log.warn({ err, id: item.id }, 'left to the retention'))
      return noContent
    },
  }),

  endpoint({
    ...common,
    operationId: 'getRecordItemFile',
    readsPeople: true,
    summary: 'The document as it was uploaded',
    description:
      'Sends the document exactly as it was uploaded, under its file name. The `ETag` is its SHA-256, with which a copy can be checked. The size is in `Content-Length`.',
    method: 'get',
    path: '/api/v1/subjects/:subjectId/file/:fileId',
    params: FilePath,
    permission: 'View:SubjectRecordItem',
    answers: { 200: Type.String({ format: 'binary' }) },
    answerType: pdf,
    async handle({ params, caller }) {
      const items = recordItemStore(db, storages, caller.tenantId)
      const item = await existing(db, caller.tenantId, items, params)
      return {
        status: 200,
        body: Readable.from(await items.content(item), { objectMode: false }),
        attachment: item.file_name || `${item.id}.pdf`,
        headers: {
          'Content-Type': pdf,
          'Content-Length': String(item.size),
          ETag: `"${item.sha256}"`,
        },
      }
    },
  }),
]

const present = (item: RecordItem): Static<typeof FileRead> => ({
  id: item.id,
  title: item.title,
  effectiveDate: item.effective_date,
  fileName: item.file_name,
  size: item.size,
  sha256: item.sha256,
  uploadedAt: item.created_at.toISOString(),
})

async function existing(
  db: Knex,
  tenantId: TenantId,
  items: ReturnType<typeof recordItemStore>,
  { subjectId, fileId }: Static<typeof FilePath>,
): Promise<RecordItem> {
  const item = isId(fileId) ? await items.byId(subjectId, fileId) : undefined
  if (item) return item
  // An erased subject is 410, also where only its document was asked for.
  await existingSubject(db, tenantId, subjectId)
  throw notFound(`The subject '${subjectId}' has no file '${fileId}'.`)
}
