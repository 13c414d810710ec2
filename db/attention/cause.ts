// What is common to all kinds of things that wait for a human.
import type { Knex } from 'knex'
import { isProblemCode, problemKinds } from '../../runtime/problems/problem-codes.js'
import type { Db, TenantId } from '../connect.js'

/** The call of the API that does the next step. Its path begins with `/api` for a client of the tenant. */
export interface Action {
  method: 'GET' | 'POST'
  path: string
}

/** A row that waits for a human, as the query of its kind finds it. Columns that a kind does not need are NULL. */
export interface Cause {
  /** What the row is about, such as the id of a job or the key of a data set. No two rows of a kind and tenant share it. */
  subject: string
  since: Date
  /** A job that has to do with it. */
  job: string | null
  /** The kind of the job, or the reason of a failure in words of our own. */
  about: string | null
  /** The code of the problem with which the job failed, or the state of a webhook. */
  code: string | null
  amount: number | null
}

/** What a human reads about a row. The texts name no person and quote no value. */
export interface Advice {
  why: string
  nextStep: string
  action: Action | null
}

/** One kind of things that wait for a human. */
export interface Kind {
  /** The permission with which a tenant's client may list such things. */
  permission: string
  /**
   * Finds them: `tenant_id`, and the columns of a {@link Cause}, see {@link columnsOf}.
   * @param tenant only those of this tenant; undefined for all tenants.
   */
  find(db: Db, tenant: TenantId | undefined): Knex.QueryBuilder
  advise(cause: Cause): Advice
}

/** Restricts a query to one tenant, if there is one. @param column its column of the tenant. */
export const ofTenant =
  (tenant: TenantId | undefined, column = 'tenant_id') =>
  (query: Knex.QueryBuilder): void => {
    if (tenant !== undefined) query.where(column, tenant)
  }

/** Names the columns of a {@link Cause}. Those that are left out are NULL. */
export const columnsOf = (
  db: Db,
  columns: Pick<Record<keyof Cause, string | Knex.Raw>, 'subject' | 'since'> &
    Partial<Record<keyof Cause, string | Knex.Raw>>,
) => ({ ...Object.fromEntries(optional.map(name => [name, db.raw('NULL')])), ...columns })

const optional = ['job', 'about', 'code', 'amount'] satisfies (keyof Cause)[]

/** The code of a problem that is stored with a job `j`. */
export const codeOf = (db: Db, table = 'j'): Knex.Raw => db.raw("JSON_VALUE(??, '$.code')", [`${table}.problem`])

/** Explains the problem of a failed job in a sentence. Its own detail may quote what people have sent. */
export const meaningOf = (code: string | null): string =>
  code !== null && isProblemCode(code) ? problemKinds[code].meaning : 'The problem of the job says why.'

export const retryOf = (job: string): Action => ({ method: 'POST', path: `/api/v1/jobs/${job}/retry` })
