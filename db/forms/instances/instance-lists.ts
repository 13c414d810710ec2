// Lists form instances.
import type { Knex } from 'knex'
import { isId } from '../../../runtime/ids.js'
import { badRequest } from '../../../runtime/problems/problem.js'
import type { Db, TenantId } from '../../connect.js'
import { type Page, type PageRequest, type Position, readPage } from '../../paging.js'
import { type InstanceRow, type InstanceStatus, instanceColumns } from './instances.js'

export interface InstanceFilter {
  instanceIds?: readonly string[] | undefined
  formKey?: string | undefined
  formVersion?: number | undefined
  status?: InstanceStatus | undefined
  classification?: string | undefined
  correlationId?: string | undefined
  /** Time ranges; `…From` is inclusive and `…To` exclusive. */
  createdFrom?: Date | undefined
  createdTo?: Date | undefined
  modifiedFrom?: Date | undefined
  modifiedTo?: Date | undefined
  includeWithdrawn?: boolean | undefined
  isAmendable?: boolean | undefined
}

/** Columns to sort by. There are indexes for `id`, the order of creation, and for `modified_at`. */
export type InstanceOrder = 'id' | 'modified_at' | 'title'

/** Lists the instances of one tenant, except discarded ones. */
export const instanceLists = (db: Db, tenant: TenantId) => {
  const instances = () => db('form_instances').where({ tenant_id: tenant, is_deleted: 0 })

  return {
    /** Reads instances by id, in the order of the ids. Unknown ids are ignored. */
    async byIds(ids: readonly string[], includeWithdrawn: boolean): Promise<InstanceRow[]> {
      const rows: InstanceRow[] = await filtered(instances(), { instanceIds: ids, includeWithdrawn }).select(
        ...instanceColumns,
      )
      const byId = new Map(rows.map(row => [row.id, row]))
      return [...new Set(ids)].flatMap(id => byId.get(id) ?? [])
    },

    /**
     * Lists instances of a subject, oldest first.
     * @param part.number a page by its number, from 1. No other list has such pages; the rows before the page are skipped in the index.
     * @param part.after the id of an instance: only later ones.
     */
    async ofSubject(
      subjectId: string,
      filter: InstanceFilter,
      { size, number = 1, after = '' }: { size: number; number?: number | undefined; after?: string | undefined },
    ): Promise<InstanceRow[]> {
      return filtered(instances().where({ subject_id: subjectId }), filter)
        .where('id', '>', after)
        .orderBy('id')
        .limit(size)
        .offset(size * (number - 1))
        .select(...instanceColumns)
    },

    /**
     * Reads a page of a subject's instances. `page.column` is an {@link InstanceOrder}; a position in `modified_at` is an ISO time.
     * @throws Problem 400 for a position that is not from this list.
     */
    async page(subjectId: string, filter: InstanceFilter, page: PageRequest): Promise<Page<InstanceRow>> {
      const { column } = page
      return readPage<InstanceRow>(
        () => filtered(instances().where({ subject_id: subjectId }), filter).select(...instanceColumns),
        'id',
        { ...page, after: placeIn(column, page.after), before: placeIn(column, page.before) },
      )
    },
  }
}

function filtered(query: Knex.QueryBuilder, filter: InstanceFilter): Knex.QueryBuilder {
  const { instanceIds, formKey, formVersion, status, classification, correlationId } = filter
  const equal = { form_key: formKey, form_version: formVersion, status, classification, correlation_id: correlationId }
  for (const [column, wanted] of Object.entries(equal)) if (wanted !== undefined) query.where(column, wanted)
  if (instanceIds) query.whereIn('id', [...instanceIds])
  if (!filter.includeWithdrawn) query.where({ is_withdrawn: 0 })
  if (filter.createdFrom) query.where('created_at', '>=', filter.createdFrom)
  if (filter.createdTo) query.where('created_at', '<', filter.createdTo)
  if (filter.modifiedFrom) query.where('modified_at', '>=', filter.modifiedFrom)
  if (filter.modifiedTo) query.where('modified_at', '<', filter.modifiedTo)
  const amendable = { status: 'Complete', allow_amend: 1, is_withdrawn: 0 }
  if (filter.isAmendable === true) query.where(amendable)
  if (filter.isAmendable === false) query.whereNot(each => each.where(amendable))
  return query
}

/** Converts a position for the database, which would fail on an invalid id or time. @throws Problem 400 */
function placeIn(column: string, position: Position | undefined): Position | undefined {
  if (!position) return undefined
  const { sort, key } = position
  const place = column === 'modified_at' ? momentIn(sort) : sort
  if (place !== undefined && isId(key) && (column !== 'id' || sort === key)) return { sort: place, key }
  throw badRequest('foreign-cursor', 'The cursor does not belong to this list.')
}

function momentIn(sort: string | number): string | undefined {
  const at = new Date(sort)
  // The text is longer for years of more than four digits, which the database does not have.
  const text = Number.isNaN(at.getTime()) ? '' : at.toISOString()
  return text.length === 24 ? text.replace('T', ' ').replace('Z', '') : undefined
}
