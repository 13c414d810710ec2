// Endpoints that read the feeds of changes.
import type { Knex } from 'knex'
import Type, { type Static, type TSchema } from 'typebox'
import type { TenantId } from '../../db/connect.js'
import { type Feed, type FeedRow, feedPage, feeds } from '../../db/feeds.js'
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

const keyed = { entity: 'structural entity', group: 'group', type: 'structure type' } as const

/** Creates the schema of a change of something that is named by its key. */
function changeOf(feed: keyof typeof keyed, $id: string) {
  const kinds: string[] = [...feeds[feed]]
  const description = `\`deleted\`: remove the ${keyed[feed]} from your copy. Leave out what you do not know: more kinds may come.`
  return Type.Object(
    { Key: Type.String(), Change: Type.Enum(kinds, { description }), ChangedAt: Type.String({ format: 'date-time' }) },
    { $id },
  )
}

const FeedQuery = Type.Object({
  ...Type.Omit(pagingQuery(orders, {}), ['Before', 'Last', 'OrderBy', 'OrderDirection']).properties,
  FromNow: Type.Optional(
    Type.Boolean({ description: 'No changes, but the EndCursor to begin with. Default false; not with After.' }),
  ),
})

const howTo = 'take EndCursor with FromNow, read the list, then ask again and again After the last EndCursor'

/** What the descriptions of all feeds end with. */
const rest =
  'An answer without entries has an `EndCursor` too; store it once the page is in your copy. Entries are kept for 30 days: an older cursor is 410 `changes-forgotten`, after which the list must be read again.'

/** Serves the feeds, from which clients keep copies up to date (decision record 0040). */
export const changeFeedRoutes = ({ db }: { db: Knex }): Endpoint[] => {
  const feedRoute = (
    feed: Feed,
    declared: Pick<Endpoint, 'operationId' | 'summary' | 'description' | 'tag' | 'path' | 'permission'>,
    Node: TSchema,
    present: (row: FeedRow) => object,
  ): Endpoint =>
    endpoint({
      ...declared,
      scopes: ['FrameApi'],
      method: 'get',
      query: FeedQuery,
      answers: { 200: pageSchema(Node) },
      tellsCommits: true,
      problems: ['changes-forgotten'],
      handle: async ({ query, caller }) => ok(await pageOfFeed(db, caller.tenantId, feed, query, present)),
    })
  const byKey = ({ id, kind, changed_at }: FeedRow) => ({ Key: id, Change: kind, ChangedAt: changed_at.toISOString() })

  return [
    feedRoute(
      'subject',
      {
        operationId: 'listSubjectChanges',
        summary: `Changes of subjects since a cursor: ${howTo}`,
        description: `Lists which subjects have changed and how, in an order in which no change is missed, for clients that keep a copy. Entries have no values: read each subject once per page, and delete the erased and merged ones. ${rest}`,
        tag: 'Subjects',
        path: '/api/v2/subject/changes',
        permission: 'List:Subject',
      },
      SubjectChange,
      ({ id, kind, changed_at, into_id }) => ({
        SubjectId: id,
        Change: kind,
        ChangedAt: changed_at.toISOString(),
        ...(into_id && { IntoSubjectId: into_id }),
      }),
    ),
    feedRoute(
      'entity',
      {
        operationId: 'listStructuralEntityChanges',
        summary: `Changes of structural entities since a cursor: ${howTo}`,
        description: `Lists which structural entities have changed and how, in an order in which no change is missed, for clients that keep a copy. Entries have no values: read each entity once per page. An entity that only moves along with its parent has no entry. ${rest}`,
        tag: 'Structural entities',
        path: '/api/v1/changes/structuralEntity',
        permission: 'List:StructuralEntity',
      },
      changeOf('entity', 'StructuralEntityChange'),
      byKey,
    ),
    feedRoute(
      'group',
      {
        operationId: 'listGroupChanges',
        summary: `Changes of groups since a cursor: ${howTo}`,
        description: `Lists which groups have changed and how, in an order in which no change is missed, for clients that keep a copy. Entries have no values: read each group once per page. Memberships of users are no changes of a group. ${rest}`,
        tag: 'Groups',
        path: '/api/v1/changes/group',
        permission: 'List:Group',
      },
      changeOf('group', 'GroupChange'),
      byKey,
    ),
    feedRoute(
      'type',
      {
        operationId: 'listStructureTypeChanges',
        summary: `Changes of structure types since a cursor: ${howTo}`,
        description: `Lists which structure types have changed and how, in an order in which no change is missed, for clients that keep a copy. Entries have no values: read each type once per page. ${rest}`,
        tag: 'Structure types',
        path: '/api/v1/changes/structureType',
        permission: 'List:StructuralEntity',
      },
      changeOf('type', 'StructureTypeChange'),
      byKey,
    ),
  ]
}

async function pageOfFeed(
  db: Knex,
  tenantId: TenantId,
  feed: Feed,
  query: Static<typeof FeedQuery>,
  present: (row: FeedRow) => object,
) {
  const list = listing(query, orders, [`${feed}Changes`, tenantId])
  const after = positionAfter(list)
  if (query.FromNow && after !== undefined) {
    const detail = 'Give FromNow or After, not both.'
    throw invalid([{ pointer: '/query/FromNow', code: 'from-now-and-after', detail }])
  }
  const limit = query.FromNow ? 0 : (list.request.first ?? 20)
  const { rows, first, last } = await feedPage(db, tenantId, feed, after ?? 0, limit)
  if (after !== undefined && (after < first - 1 || after > last)) throw forgotten()
  const position = query.FromNow ? last : (rows.at(-1)?.position ?? after ?? last)
  const page = {
    rows,
    hasNextPage: position < last,
    hasPreviousPage: rows[0] !== undefined && rows[0].position > first,
    totalCount: last - first + 1,
  }
  // Given even if nothing has changed, because the client's next request continues after it.
  const end = list.cursorOf({ sort: position, key: String(position) })
  return pageOf(page, list, 'position', present, { end })
}

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
    'Changes after this cursor are no longer known; they are kept for 30 days. Take a new cursor with FromNow=true, and read the list again.',
  )
