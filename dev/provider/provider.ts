// The demo provider: a vaccination register over HTTP.
import type { RequestListener } from 'node:http'
import Router from '@koa/router'
import Koa, { type Context } from 'koa'
import rawBody from 'raw-body'
import Type, { type Static, type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { createAuthorization } from './authorization.js'
import { Behaviour, createMisbehaviour } from './behaviour.js'
import { createDeliveries, type Delivery } from './deliveries.js'
import { createStatistics, type Statistics } from './statistics.js'
import { createVaccinations, dataPointOf, type Vaccination, type Vaccinations } from './vaccinations.js'

export interface ProviderOptions {
  /** The provider's own address, which is the issuer of its tokens. */
  url: string
  client: { id: string; secret: string }
  rows: readonly Vaccination[]
  behaviour?: Behaviour
}

/** A register of vaccinations over HTTP, protected by OAuth 2.0. It also receives forms, and fails on request. */
export interface VaccinationProvider {
  /** Handler for `http.createServer`. */
  listener: RequestListener
  vaccinations: Vaccinations
  /** Returns the last hundred forms that it received, the oldest first. */
  deliveries(): Delivery[]
  /** Sets how the provider behaves from now on. {} means normal behaviour. */
  tell(behaviour: Behaviour): void
  statistics(): Statistics
  resetStatistics(): void
  /** Invalidates all tokens that it has issued. */
  forgetTokens(): void
}

const Entry = Type.Object(
  {
    nationalId: Type.String({ minLength: 1 }),
    vaccine: Type.String({ minLength: 1 }),
    programme: Type.Union([Type.Literal('routine'), Type.Literal('seasonal'), Type.Literal('travel')]),
    dose: Type.Integer({ minimum: 1 }),
    date: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
    lot: Type.String(),
    verified: Type.Boolean(),
  },
  { additionalProperties: false },
)

const largestPage = 1000

/**
 * Creates the provider. Its routes, by the scope that they require:
 * - none: `POST /token`
 * - `vaccinations`: `GET /vaccinations` and `GET /vaccinations/of`
 * - `deliveries`: `POST /deliveries`
 * - `control`: `GET /deliveries`, `PUT` and `DELETE /vaccinations/{id}`, `GET` and `PUT /behaviour`, `GET` and
 *   `DELETE /statistics`, `DELETE /tokens`
 */
export function createVaccinationProvider({ url, client, rows, behaviour = {} }: ProviderOptions): VaccinationProvider {
  const vaccinations = createVaccinations(rows)
  const misbehaviour = createMisbehaviour(behaviour)
  const deliveries = createDeliveries()
  const statistics = createStatistics()
  const authorization = createAuthorization(url, client, () => misbehaviour.now.tokenSeconds ?? 600)

  const control = authorization.require('control')
  const router = new Router()
    .get('/vaccinations', misbehaviour.middleware, authorization.require('vaccinations'), listAll)
    .get('/vaccinations/of', misbehaviour.middleware, authorization.require('vaccinations'), listOfPerson)
    .post('/deliveries', misbehaviour.middleware, authorization.require('deliveries'), deliveries.receive)
    .get('/deliveries', control, deliveries.list)
    .put('/vaccinations/:id', control, async ctx => {
      const entry = await bodyOf(ctx, Entry)
      if (entry) vaccinations.put({ id: String(ctx.params.id), ...entry })
    })
    .delete('/vaccinations/:id', control, ctx => {
      ctx.status = vaccinations.remove(String(ctx.params.id)) ? 204 : 404
    })
    .get('/behaviour', control, ctx => {
      ctx.body = misbehaviour.now
    })
    .put('/behaviour', control, async ctx => {
      const told = await bodyOf(ctx, Behaviour)
      if (told) misbehaviour.set(told)
    })
    .get('/statistics', control, ctx => {
      ctx.body = statistics.now
    })
    .delete('/statistics', control, ctx => {
      statistics.reset()
      ctx.status = 204
    })
    .delete('/tokens', control, ctx => {
      authorization.forget()
      ctx.status = 204
    })

  const app = new Koa()
    .use(statistics.middleware)
    .use(router.routes())
    .use((ctx, next) =>
      ctx.path === '/token' && misbehaviour.now.tokens ? misbehaviour.middleware(ctx, next) : next(),
    )
    .use(authorization.tokens)
  return {
    listener: app.callback(),
    vaccinations,
    deliveries: deliveries.all,
    tell: misbehaviour.set,
    statistics: () => statistics.now,
    resetStatistics: statistics.reset,
    forgetTokens: authorization.forget,
  }

  /** Answers with a page of all vaccinations (`size`, `cursor`), or of those of one `programme`. */
  function listAll(ctx: Context): void {
    const { programme, cursor, size: wanted = '500' } = given(ctx)
    const size = Number(wanted)
    const after = cursor === undefined ? '' : readCursor(cursor)
    if (!Number.isInteger(size) || size < 1 || size > largestPage) refuse(ctx, `size: 1 to ${largestPage}`)
    else if (after === undefined) refuse(ctx, 'cursor: one that a page gave')
    else {
      const { rows, next } = vaccinations.page({ after, size, programme })
      answer(ctx, rows, next === undefined ? undefined : cursorOf(next))
    }
  }

  /**
   * Answers with the vaccinations of one person (`nationalId`), or with those of one `programme`. It is not a filter of the
   * list, because a request whose `nationalId` is empty must not return everybody's.
   */
  function listOfPerson(ctx: Context): void {
    const { nationalId, programme } = given(ctx)
    if (nationalId === undefined) refuse(ctx, 'nationalId')
    else answer(ctx, vaccinations.of(nationalId, programme))
  }

  /** Sends rows in the register's own format, or, with `as=dataPoints`, as the data points that the platform expects. */
  function answer(ctx: Context, rows: readonly Vaccination[], next?: string): void {
    const { brokenRows = {} } = misbehaviour.now
    const [name, textOf] = ctx.query.as === 'dataPoints' ? ['dataPoints', pointText] : ['rows', rowText]
    const texts = rows.map(row => (row.id in brokenRows ? JSON.stringify(brokenRows[row.id]) : textOf(row)))
    ctx.type = 'json'
    ctx.body = `{"${name}":[${texts.join()}]${next === undefined ? '' : `,"next":${JSON.stringify(next)}`}}`
  }
}

/** Reads the query parameters. An empty one counts as absent; of repeated ones the last counts. */
const given = ({ querystring }: Context): Record<string, string | undefined> =>
  Object.fromEntries([...new URLSearchParams(querystring)].filter(([, value]) => value !== ''))

// The JSON of each row is cached, so that benchmarks measure the platform and not this provider.
const rowText = remembered(row => JSON.stringify(row))
const pointText = remembered(row => JSON.stringify(dataPointOf(row)))

function remembered(write: (row: Vaccination) => string): (row: Vaccination) => string {
  const texts = new WeakMap<Vaccination, string>()
  return row => {
    const text = texts.get(row) ?? write(row)
    texts.set(row, text)
    return text
  }
}

const cursorOf = (id: string): string => Buffer.from(JSON.stringify({ after: id })).toString('base64url')

const Cursor = Type.Object({ after: Type.String() })

function readCursor(cursor: string): string | undefined {
  const place = json(Buffer.from(cursor, 'base64url').toString())
  return Value.Check(Cursor, place) ? place.after : undefined
}

/** Reads the body and answers 204. If it does not match the schema, answers 400 and returns undefined. */
async function bodyOf<Schema extends TSchema>(ctx: Context, schema: Schema): Promise<Static<Schema> | undefined> {
  const body = json(await rawBody(ctx.req, { encoding: 'utf8', limit: '1mb' }))
  if (!Value.Check(schema, body)) {
    const faults = Value.Errors(schema, body).map(({ instancePath, message }) => `${instancePath} ${message}`)
    refuse(ctx, faults.join('; '))
    return undefined
  }
  ctx.status = 204
  return body
}

function refuse(ctx: Context, expected: string): void {
  ctx.status = 400
  ctx.body = { error: 'invalid_request', expected }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
