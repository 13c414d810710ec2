// Tells the audit who does what: the caller, the operation, the ids of the path and the names of what is sent.
import type { Context, Middleware } from 'koa'
import { type Action, asAction, platformChain } from '../../db/audit/action.js'
import { recordLater } from '../../db/audit/later-events.js'
import { isId } from '../../runtime/ids.js'
import { Problem } from '../../runtime/problems/problem.js'
import { partsOfActor } from '../../runtime/secrets/actors.js'
import type { Caller } from '../caller.js'
import { type Tag, tags } from '../tags.js'
import { addressOf } from './rate-limit.js'

/** The caller of a page that nobody has to sign in to. */
const anonymous = 'anonymous'

/** What the audit needs to know of an operation. */
interface Told {
  operationId: string
  tag: Tag
  path: string
  readsPeople?: true | undefined
}

/**
 * Creates middleware in which each transaction that waits for its turn among the tenant's writers is an event of the audit; others call
 * `recordAction` themselves. What is refused for want of a permission is
 * an event too, and so is an answer that shows people; these are appended a little later.
 */
export const audited = (operation: Told): Middleware => {
  const ofPlatform = /^\/(admin|temporal)\//.test(operation.path)
  return (ctx, next) =>
    asAction(actionOf(ctx, operation), async () => {
      let status = 500
      try {
        await next()
        status = ctx.status
      } catch (error) {
        if (error instanceof Problem) status = error.status
        throw error
      } finally {
        const caller: Caller | undefined = ctx.state.caller
        const ofTenant = typeof ctx.params.tenantKey === 'string' ? { key: ctx.params.tenantKey } : platformChain
        const whose = ofPlatform ? ofTenant : caller?.tenantId
        if (caller && whose !== undefined) {
          if (status === 403) recordLater(whose, 'refused')
          else if (operation.readsPeople && status < 300) recordLater(whose, 'read')
        }
      }
    })
}

/** Describes a request. What it learns only later, as a page does its caller, is read when the event is written. */
function actionOf(ctx: Context, { operationId, tag }: Told): Action {
  const caller = (): Caller | undefined => ctx.state.caller
  return {
    action: operationId,
    kind: tags[tag].kind,
    traceId: ctx.state.traceId,
    get client() {
      const { clientId = anonymous } = caller() ?? {}
      return partsOfActor(clientId).client
    },
    get person() {
      const { subject, clientId } = caller() ?? {}
      return subject === clientId ? undefined : subject
    },
    get address() {
      return addressOf(ctx)
    },
    get ids() {
      return idsIn(ctx.params)
    },
    get members() {
      return ctx.state.members ?? []
    },
  }
}

/** Returns what a path names, without the tenant. A subject that is named by a value of its own is left out, because that is personal. */
const idsIn = (params: Record<string, unknown>): string[] =>
  Object.entries(params).flatMap(([name, value]) =>
    typeof value === 'string' && name !== 'tenantKey' && (isId(value) || /Key$|^userId$/.test(name)) ? [value] : [],
  )

/** How many items of a list are looked at, and how many names are kept. A bulk may have 100,000 items, which are mostly alike. */
const [maxItems, maxNames] = [1_000, 200]

/** Lists whose entries have a key and a value: fields, and what else a manifest or a form calls so. */
const isKeyed = (value: unknown): value is { Key: string }[] =>
  Array.isArray(value) && value.length > 0 && value.every(each => typeof each?.Key === 'string' && 'Value' in each)

/** Objects whose names are those of fields or controls. */
const isMap = /^(customFieldValueFilter|(.*\.)?values)$/i

/**
 * Returns the names of the members of a body, without any value: of a list those of all items, of custom fields their keys, of a
 * form's values the ids of its controls. Of a query, the names of its parameters.
 */
export function namesIn(body: unknown): string[] {
  const names = new Set<string>()
  for (const item of isKeyed(body) ? [body] : [body].flat().slice(0, maxItems)) {
    if (isKeyed(item)) for (const { Key } of item) names.add(Key)
    else if (typeof item === 'object' && item !== null)
      for (const [name, value] of Object.entries(item)) {
        if (value === undefined) continue
        names.add(name)
        if (isKeyed(value)) for (const { Key } of value) names.add(`${name}/${Key}`)
        if (isMap.test(name)) for (const inner of namesIn(value)) names.add(`${name}/${inner}`)
      }
  }
  return [...names].slice(0, maxNames)
}
