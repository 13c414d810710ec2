// Endpoints for resources whose keys are chosen by clients: get, put and delete one item, or put up to 20 at once.
import type { Knex } from 'knex'
import Type, { type Static, type TObject, type TSchema } from 'typebox'
import type { PlannedItem } from '../../db/jobs/chunks.js'
import { asSingle, notFound } from '../../runtime/problems/problem.js'
import type { Caller } from '../caller.js'
import { created, type Endpoint, endpoint, noContent, ok } from '../endpoint.js'
import { outcomesById, writeSmallBulk } from '../jobs/once.js'
import { idempotencyHeaders } from '../jobs/present.js'
import type { Problems } from '../problem-groups.js'
import type { DryPlan } from '../schema/collect-faults.js'
import type { Tag } from '../tags.js'

type Outcome = PlannedItem['outcome']

/** Everything that {@link keyedRoutes} needs to know about a resource. */
export interface KeyedResource<Write extends TObject, Item> {
  tag: Tag
  /** Name in operation ids and, with a small first letter, in paths, such as `StructureType`. */
  name: string
  /** Singular in summaries and error messages, such as `structure type`. */
  noun: string
  /** Second half of the names of its permissions, such as `StructuralEntity` in `View:StructuralEntity`. */
  right: string
  Read: TSchema
  Write: Write
  /** Schema of the response to a put, if it differs from `Read`. Goes with `presentWritten`. */
  Written?: TSchema
  dryPlan: DryPlan
  /** Text behind the summary of a put, for what it does beyond the obvious. `removeNote` does so for a delete. */
  putNote?: string
  removeNote?: string
  /** Descriptions of the operations. */
  about: { get: string; put: string; remove: string }
  putProblems?: Problems
  removeProblems?: Problems
  byKey(tenantId: number, key: string): Promise<Item | undefined>
  /** Creates or replaces one item. */
  put(caller: Caller, body: Static<Write>): Promise<{ outcome: Outcome; item: Item }>
  remove(tenantId: number, key: string): Promise<void>
  present(item: Item): unknown
  presentWritten?(item: Item): unknown
}

/** Creates the endpoints of a resource. Lists differ too much from each other and are written beside each resource. */
export function keyedRoutes<Write extends TObject, Item>(of: KeyedResource<Write, Item>) {
  const { name, noun, right, Read, Write, Written = Read, putNote = '', removeNote = '' } = of
  const lowerName = name.charAt(0).toLowerCase() + name.slice(1)
  const path = `/api/v1/${lowerName}`
  const keyName = `${lowerName}Key`
  const common = { tag: of.tag, scopes: ['FrameApi'] } as const
  const write = { permission: [`Create:${right}`, `Edit:${right}`], dryPlan: of.dryPlan } as const

  return {
    get: endpoint({
      ...common,
      operationId: `get${name}`,
      summary: `One ${noun}`,
      description: of.about.get,
      method: 'get',
      path: `${path}/:${keyName}`,
      permission: `View:${right}`,
      answers: { 200: Read },
      async handle({ params, caller }) {
        const key = params[keyName] ?? ''
        const item = await of.byKey(caller.tenantId, key)
        if (!item) throw notFound(`There is no ${noun} '${key}'.`)
        return ok(of.present(item))
      },
    }),

    put: endpoint({
      ...common,
      ...write,
      operationId: `put${name}`,
      summary: `Create or replace a ${noun}${putNote}`,
      description: of.about.put,
      method: 'put',
      path,
      body: Write,
      answers: { 200: Written, 201: Written },
      problems: of.putProblems ?? [],
      async handle({ body, caller }) {
        const { outcome, item } = await asSingle(of.put(caller, body))
        const shown = (of.presentWritten ?? of.present)(item)
        return outcome === 'created' ? created(shown) : ok(shown)
      },
    }),

    /** @param upsert writes all items or none, in the given transaction. */
    putSome: (
      db: Knex,
      upsert: (
        trx: Knex.Transaction,
        caller: Caller,
        bodies: Static<Write>[],
      ) => Promise<{ key: string; outcome: Outcome }[]>,
    ): Endpoint =>
      endpoint({
        ...common,
        ...write,
        operationId: `put${name}s`,
        summary: `Create or replace at most 20 ${noun}s, all or nothing`,
        description: `Does for each ${noun} of the list what put${name} does for one, in one transaction: if one is refused, none is written, and every fault is named with the \`index\` of its item. The answer has no body. Repeating the request changes nothing; with the same \`Idempotency-Key\` it is not even carried out again.`,
        method: 'put',
        path: `${path}/bulk`,
        body: Type.Array(Write, { minItems: 1, maxItems: 20 }),
        headers: idempotencyHeaders,
        answers: { 204: null },
        problems: of.putProblems ?? [],
        handle: request =>
          writeSmallBulk(db, request, {
            write: async trx => ({
              outcomes: outcomesById(await upsert(trx, request.caller, request.body)),
              answer: noContent,
            }),
            repeat: async () => noContent,
          }),
      }),

    remove: endpoint({
      ...common,
      operationId: `delete${name}`,
      summary: `Delete a ${noun}${removeNote}`,
      description: of.about.remove,
      method: 'delete',
      path: `${path}/:${keyName}`,
      permission: `Delete:${right}`,
      answers: { 204: null },
      problems: of.removeProblems ?? [],
      async handle({ params, caller }) {
        await of.remove(caller.tenantId, params[keyName] ?? '')
        return noContent
      },
    }),
  }
}
