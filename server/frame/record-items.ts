// Endpoints for the PDF documents in a subject's record.
import { Readable } from 'node:stream'
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import Format from 'typebox/format'
import { isKeptDateTime, utc } from '../../db/frame/subjects/custom-fields.js'
import { type RecordItem, recordItemStore } from '../../db/frame/subjects/record-items.js'
import type { Storages } from '../../db/storage/storage.js'
import { isId, newId } from '../../runtime/ids.js'
import { notFound, Problem } from '../../runtime/problem.js'
import { type Endpoint, endpoint, ok } from '../endpoint.js'
import { Id } from '../schema/guid.js'
import { Name, SubjectPath } from './shapes.js'
import { unknownSubject } from './subjects.js'

const pdf = 'application/pdf'

const EffectiveDate = Type.Refine(
  Type.String({ maxLength: 100, description: 'A date, or a date-time (in UTC where it names no zone), in ISO 8601.' }),
  value => Format.IsDate(value) || isKeptDateTime(value),
  () => 'must be a date or a date-time in ISO 8601, of the years 0001 to 9999 in UTC',
)

const FilePath = Type.Object({ ...SubjectPath.properties, fileId: Id })

const common = { tag: 'Subject records', scopes: ['FrameApi'] } as const

interface Dependencies {
  db: Knex
  storages: Storages
  /** Largest file, in bytes. */
  maxBytes: number
}

/** Spec frame "Subject record". */
export const recordItemRoutes = ({ db, storages, maxBytes }: Dependencies): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'uploadRecordItem',
    summary: 'Add a PDF document to the record of a subject',
    method: 'post',
    path: '/api/v1/subjects/:subjectId/file/upload',
    params: SubjectPath,
    permission: 'Create:SubjectRecordItem',
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
    answers: { 200: Type.Object({ id: Type.String() }) },
    async handle({ params, caller, readForm, log }) {
      const items = recordItemStore(db, storages, caller.tenantId)
      const subjectId = await existingSubject(db, caller.tenantId, params.subjectId)
      const id = newId()
      let begun = false
      try {
        const { fields, kept } = await readForm(async file => {
          begun = true
          await items.begin(id, { subjectId, actor: caller.clientId })
          return items.keep(id, file.name, file.content)
        })
        const { title, effectiveDate } = fields
        const effective_date = Format.IsDate(effectiveDate) ? effectiveDate : utc(effectiveDate)
        await items.complete(id, { ...kept, title, effective_date })
        return ok({ id })
      } catch (error) {
        const discarded = begun && items.discard(id).catch(err => log.warn({ err, id }, 'left to the retention'))
        // Where the database or the storage is away, the caller would wait for it a second time.
        if (error instanceof Problem && error.status < 500) await discarded
        throw error
      }
    },
  }),

  endpoint({
    ...common,
    operationId: 'getRecordItemFile',
    summary: 'The document as it was uploaded',
    method: 'get',
    path: '/api/v1/subjects/:subjectId/file/:fileId',
    params: FilePath,
    permission: 'View:SubjectRecordItem',
    answers: { 200: Type.String({ contentMediaType: pdf }) },
    answerType: pdf,
    async handle({ params, caller }) {
      const items = recordItemStore(db, storages, caller.tenantId)
      const item = await existing(items, params)
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

/** The subject that the path names. @throws Problem 404. */
async function existingSubject(db: Knex, tenantId: number, id: string): Promise<string> {
  if (!(await db('subjects').where({ tenant_id: tenantId, id }).first('id'))) throw unknownSubject(id)
  return id
}

async function existing(
  items: ReturnType<typeof recordItemStore>,
  { subjectId, fileId }: Static<typeof FilePath>,
): Promise<RecordItem> {
  const item = isId(fileId) ? await items.byId(subjectId, fileId) : undefined
  if (!item) throw notFound(`The subject '${subjectId}' has no file '${fileId}'.`)
  return item
}
