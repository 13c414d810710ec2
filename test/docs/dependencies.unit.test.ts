// docs/dependencies.md: each package has one row, and what is said against koa-body is still so.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Koa from 'koa'
import { koaBody } from 'koa-body'
import { expect, onTestFinished, test } from 'vitest'
import { loopbackServer } from '../support/http.js'

const page = readFileSync('docs/dependencies.md', 'utf8')
const rows = [...page.matchAll(/^\| `([^`]+)`( \*dev\*)? \|.*, ([^,|]+) \|$/gm)].map(([, name, dev, licence]) => ({
  name,
  isDev: dev !== undefined,
  licence,
}))

test('each package stands in the table once, marked where it is for development, with its licence', () => {
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const wanted = [
    ...Object.keys(dependencies).map(name => ({ name, isDev: false })),
    ...Object.keys({ ...optionalDependencies, ...devDependencies }).map(name => ({ name, isDev: true })),
  ].map(each => ({ ...each, licence: packages[`node_modules/${each.name}`].license }))
  const sorted = (all: readonly object[]) => all.map(each => JSON.stringify(each)).sort()
  expect(sorted(rows)).toEqual(sorted(wanted))
})

/** What koa-body makes of a body, as JSON. */
async function readByKoaBody(body: Buffer, contentType: string): Promise<unknown> {
  const uploadDir = mkdtempSync(join(tmpdir(), 'koa-body-'))
  onTestFinished(() => rmSync(uploadDir, { recursive: true }))
  const app = new Koa().use(koaBody({ multipart: true, formidable: { uploadDir } })).use(ctx => {
    ctx.body = ctx.request.body
  })
  const { url, stop } = await loopbackServer(app.callback())
  onTestFinished(stop)
  const headers = { 'Content-Type': contentType }
  return (await fetch(url, { method: 'POST', body: new Uint8Array(body), headers })).json()
}

const inLatin1 = (text: string) => Buffer.from(text, 'latin1')

test('koa-body changes bytes that are not UTF-8 and digits of long numbers in JSON', async () => {
  const body = inLatin1('{"name":"Zo\xeb","value":12345678901234567.89}')
  expect(await readByKoaBody(body, 'application/json')).toEqual({ name: 'Zo\ufffd', value: 12345678901234568 })
})

test('koa-body reads a file without a content type as text, and a text with one as a file', async () => {
  const parts = [
    ['name="file"; filename="a.pdf"', '%\xe2\xe3\xcf\xd3'],
    ['name="title"\r\nContent-Type: text/plain; charset=utf-8', 'A letter'],
  ].map(([head, content]) => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`)
  const body = inLatin1(`${parts.join('')}--b--\r\n`)
  const { file, title } = Object(await readByKoaBody(body, 'multipart/form-data; boundary=b'))
  expect(Buffer.from(file).toString('hex')).toBe('25efbfbdefbfbdefbfbd')
  expect(title).toBeUndefined()
})
