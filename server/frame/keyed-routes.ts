// Endpoints of resources whose items clients name by keys: get, put and delete one, or put at most 20 at once.
import type { Knex } from 'knex'
import Type, { type Static, type TObject, type TSchema } from 'typebox'
import { asSingle, notFound } from '../../runtime/problems/problem.js'
import type { Caller } from '../caller.js'
import { created, type Endpoint, endpoint, noContent, ok } from '../endpoint.js'
import { outcomesById, writeSmallBulk } from '../jobs/once.js'
import { idempotencyHeaders } from '../jobs/present.js'
import type { Problems } from '../problem-groups.js'
import type { DryPlan } from '../schema/collect-faults.js'
import type { Tag } from '../tags.js'

type Outcome = 'created' | 'updated'

/** A resource as its endpoints need it. */
export interface KeyedResource<Write extends TObject, Item> {
  tag: Tag
  /** In operations and paths, such as `StructureType`. */
  name: string
  /** In sentences. */
  noun: string
  /** What its permissions are for, such as `StructuralEntity` in `View:StructuralEntity`. */
  right: string
  Read: TSchema
  Write: Write
  /** The answer of a put, where it is not as it is read. */
  Written?: TSchema
  dryPlan: DryPlan
  /** What a put or a delete does beyond the obvious, for its summary. */
  putNote?: string
  removeNote?: string
  putProblems?: Problems
  removeProblems?: Problems
  byKey(tenantId: number, key: string): Promise<Item | undefined>
  /** Creates or replaces one item. */
  put(caller: Caller, body: Static<Write>): Promise<{ outcome: Outcome; item: Item }>
  remove(tenantId: number, key: string): Promise<void>
  present(item: Item): unknown
  presentWritten?(item: Item): unknown
}

/** Makes the endpoints of a resource. Its list, and what else is particular, stands beside them. */
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

    /** @param upsert writes all of them, or none. */
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
