// Timeouts of the HTTP server.
import { PassThrough } from 'node:stream'
import Koa from 'koa'
import { expect, test } from 'vitest'
import { httpServer } from '../../server/http-server.js'
import { problem } from '../support/http.js'

test('a request that is too slow is answered with a problem document', () => {
  const socket = new PassThrough()
  // Node looks for slow requests twice a minute.
  httpServer(new Koa(), '').emit(
    'clientError',
    Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
    socket,
  )
  const [head = '', body = ''] = String(socket.read()).split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1.1 408 /)
  expect(JSON.parse(body)).toEqual(problem(408, 'request-too-slow', '/'))
})

test('behind a public address with a path, that document refers to the path', () => {
  const socket = new PassThrough()
  const error = Object.assign(new Error(), { code: 'HPE_INVALID_METHOD' })
  httpServer(new Koa(), '/armature').emit('clientError', error, socket)
  const [, body = ''] = String(socket.read()).split('\r\n\r\n')
  expect(JSON.parse(body)).toMatchObject({ type: '/armature/problems/malformed-request', instance: '/armature/' })
})

test('an idle connection stays open for longer than load balancers keep theirs', () => {
  expect(httpServer(new Koa(), '').keepAliveTimeout).toBeGreaterThan(60_000)
})
