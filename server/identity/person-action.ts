// Tells the audit what people do at the identity service, where they are no callers of the API yet.
import type { Context } from 'koa'
import { asAction } from '../../db/audit/action.js'
import type { Account } from '../../db/identity/accounts.js'
import { consoleClient } from '../../runtime/secrets/actors.js'
import { addressOf } from '../middleware/rate-limit.js'

/** Runs work as an action of a person, which the audit of the tenant shows. */
export const asPerson = <T>(ctx: Context, { id }: Account, action: string, work: () => Promise<T>): Promise<T> =>
  asAction(
    {
      client: consoleClient,
      person: id,
      address: addressOf(ctx),
      action,
      kind: 'account',
      ids: [id],
      members: [],
      traceId: ctx.state.traceId ?? '',
    },
    work,
  )
