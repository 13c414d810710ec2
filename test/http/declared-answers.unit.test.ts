// Answers are held to the declarations of their operations.
import { once } from 'node:events'
import { createServer } from 'node:http'
import Router from '@koa/router'
import Koa from 'koa'
import pino from 'pino'
import Type from 'typebox'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { conflict, notFound } from '../../runtime/problems/problem.js'
import { isProblemCode } from '../../runtime/problems/problem-codes.js'
import { tellBasePath } from '../../server/base-path.js'
import { declaredAnswers } from '../../server/middleware/declared-answers.js'
import { problems } from '../../server/middleware/problem.js'
import { type Route, serve } from '../../server/operation.js'
import { problemGroups, problemsByStatus } from '../../server/problem-groups.js'
import { refuseUndeclared } from '../support/undeclared.js'

const route: Route = {
  operationId: 'getThing',
  description: '',
  summary: 'A thing',
  tag: 'Endpoints',
  access: 'Everybody.',
  security: [{}],
  method: 'get',
  path: '/things/:answer',
  answers: { 200: Type.Unknown(), 204: null },
  problems: ['any', 'path'],
}

let log = ''
beforeEach(() => {
  log = ''
})
const server = createServer()
beforeAll(async () => {
  const app = new Koa()
  const router = new Router()
  serve(router, route, ctx => {
    if (ctx.params.answer === 'unknown') throw notFound('There is none.')
    if (ctx.params.answer === 'conflict') throw conflict('job-ended', 'It has ended.')
    ctx.status = Number(ctx.params.answer)
  })
  app.use((ctx, next) => {
    ctx.state.log = pino({}, { write: line => (log += line) })
    return next()
  })
  app.use(tellBasePath('http://127.0.0.1')).use(declaredAnswers).use(problems).use(router.routes())
  server.on('request', app.callback())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => server.close())

const ask = async (answer: string) => {
  const address = server.address()
  const { status } = await fetch(`http://127.0.0.1:${Object(address).port}/things/${answer}`)
  return status
}

test.each([
  ['204', 204],
  ['unknown', 404],
])('a declared answer (%s) passes', async (answer, status) => {
  expect(await ask(answer)).toBe(status)
  expect(() => refuseUndeclared(log)).not.toThrow()
})

test.each([
  ['201', 201, 'getThing: 201 no problem'],
  ['conflict', 409, 'getThing: 409 job-ended'],
])('an undeclared answer (%s) reaches its caller, and ends the test run', async (answer, status, named) => {
  expect(await ask(answer)).toBe(status)
  expect(() => refuseUndeclared(log)).toThrow(named)
})

test('the schema of a set of codes is named by its groups, so that operations share it', () => {
  const [first, second] = [
    problemsByStatus(['any', 'accessToken', 'permission']),
    problemsByStatus(['any', 'accessToken', 'permission', 'not-found']),
  ]
  expect(first.get(403)).toEqual({
    name: 'Problem403Permission',
    codes: ['insufficient-scope', 'tenant-suspended', 'forbidden'],
  })
  expect(second.get(403)).toEqual(first.get(403))
  expect(second.get(404)).toEqual({ name: 'Problem404NotFound', codes: ['not-found'] })
  expect([...second.keys()]).toEqual([400, 401, 403, 404, 429, 500, 503])
})

test('no group has the name of a code, which would hide the code', () => {
  expect(Object.keys(problemGroups).filter(isProblemCode)).toEqual([])
})
