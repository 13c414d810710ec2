// Endpoint that reads the feed of changes to subjects.
import type { Knex } from 'knex'
import Type from 'typebox'
import { feedPage, feeds } from '../../db/feeds.js'
import { badRequest, invalid, Problem } from '../../runtime/problems/problem.js'
import { type Endpoint, endpoint, ok } from '../endpoint.js'
import { type Listing, listing, pageOf, pageSchema, pagingQuery } from '../paging.js'

const orders = { Position: 'position' }

const SubjectChange = Type.Object(
  {
    SubjectId: Type.String({ format: 'uuid' }),
    Change: Type.Enum([...feeds.subject], {
      description:
        '`moved`: it is assigned to other entities. `deactivated`: lists leave it out, until it is `reactivated`. `merged`: it is part of IntoSubjectId, until it is `unmerged`. `erased`: delete your copy. Leave out what you do not know: more kinds may come.',
    }),
    ChangedAt: Type.String({ format: 'date-time' }),
    IntoSubjectId: Type.Optional(
      Type.String({ format: 'uuid', description: 'Only of `merged` and `unmerged`: the other subject.' }),
    ),
  },
  { $id: 'SubjectChange' },
)

/** Serves the feed, from which clients keep a copy of the subjects up to date (decision record 0040). */
export const subjectChangeRoutes = ({ db }: { db: Knex }): Endpoint[] => [
  endpoint({
    operationId: 'listSubjectChanges',
    summary:
      'Changes of subjects since a cursor: take EndCursor with FromNow, read the list of subjects, then ask again and again After the last EndCursor',
    tag: 'Subjects',
    scopes: ['FrameApi'],
    method: 'get',
    path: '/api/v2/subject/changes',
    permission: 'List:Subject',
    query: Type.Object({
      ...Type.Omit(pagingQuery(orders, {}), ['Before', 'Last', 'OrderBy', 'OrderDirection']).properties,
      FromNow: Type.Optional(
        Type.Boolean({ description: 'No changes, but the EndCursor to begin with. Default false; not with After.' }),
      ),
    }),
    answers: { 200: pageSchema(SubjectChange) },
    tellsCommits: true,
    problems: ['changes-forgotten'],
    async handle({ query, caller }) {
      const list = listing(query, orders, ['subjectChanges', caller.tenantId])
      const after = positionAfter(list)
      if (query.FromNow && after !== undefined) {
        const detail = 'Give FromNow or After, not both.'
        throw invalid([{ pointer: '/query/FromNow', code: 'from-now-and-after', detail }])
      }
      const limit = query.FromNow ? 0 : (list.request.first ?? 20)
      const { rows, first, last } = await feedPage(db, caller.tenantId, 'subject', after ?? 0, limit)
      if (after !== undefined && (after < first - 1 || after > last)) throw forgotten()
      const position = query.FromNow ? last : (rows.at(-1)?.position ?? after ?? last)
      const page = {
        rows,
        hasNextPage: position < last,
        hasPreviousPage: rows[0] !== undefined && rows[0].position > first,
        totalCount: last - first + 1,
      }
      const nodes = rows.map(({ id, kind, changed_at, into_id }) => ({
        SubjectId: id,
        Change: kind,
        ChangedAt: changed_at.toISOString(),
        ...(into_id && { IntoSubjectId: into_id }),
      }))
      const { PageInfo, Edges } = pageOf(page, list, 'position', nodes)
      // Given even if nothing has changed, because the client's next request continues after it.
      const EndCursor = list.cursorOf({ sort: position, key: String(position) })
      return ok({ PageInfo: { ...PageInfo, EndCursor }, Edges })
    },
  }),
]

/** Reads the position from `After`. Returns undefined without one. @throws Problem 400 for a cursor of another list. */
function positionAfter({ request: { after } }: Listing): number | undefined {
  if (!after) return undefined
  // Anybody can compute a cursor's seal, so a valid seal does not mean that the cursor came from us.
  if (!/^\d{1,15}$/.test(after.key)) throw badRequest('foreign-cursor', 'After is no cursor of this feed.')
  return Number(after.key)
}

const forgotten = () =>
  new Problem(
    'changes-forgotten',
    'Changes after this cursor are no longer known; they are kept for 30 days. Take a new cursor with FromNow=true, and read the list of subjects again.',
  )
