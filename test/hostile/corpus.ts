// The hostile bodies, headers and names.
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** Which endpoints a hostile request is for: those that take such a body; headers are for all. */
export type Kind = 'json' | 'form' | 'multipart' | 'csv' | 'ndjson' | 'headers'

/** A request that once ended the API, froze it or was answered with a 500, or that could. */
export interface HostileCase {
  name: string
  kind: Kind
  headers?: Record<string, string>
  /** Made when it is sent: some are large before they are compressed. */
  body(): Buffer
}

const megabyte = 1024 * 1024
const boundary = 'hostile'

const types: Record<Kind, string> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: `multipart/form-data; boundary=${boundary}`,
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  headers: 'application/json',
}

/** All headers of a case, as they are sent. */
export const headersOf = ({ kind, headers }: HostileCase) => ({ 'content-type': types[kind], ...headers })

const json = (name: string, text: () => string): HostileCase => ({
  name,
  kind: 'json',
  body: () => Buffer.from(text()),
})
const form = (name: string, text: () => string): HostileCase => ({
  name,
  kind: 'form',
  body: () => Buffer.from(text()),
})
const multipart = (name: string, ...parts: (() => string)[]): HostileCase => ({
  name,
  kind: 'multipart',
  body: () => Buffer.from([...parts.flatMap(part => [`--${boundary}`, part()]), `--${boundary}--`, ''].join('\r\n')),
})
const csv = (name: string, text: () => string): HostileCase => ({ name, kind: 'csv', body: () => Buffer.from(text()) })
const ndjson = (name: string, text: () => string): HostileCase => ({
  name,
  kind: 'ndjson',
  body: () => Buffer.from(text()),
})
const withHeaders = (name: string, headers: Record<string, string>): HostileCase => ({
  name,
  kind: 'headers',
  headers,
  body: () => Buffer.from('{}'),
})
const gzipped = ({ name, kind, body }: HostileCase): HostileCase => ({
  name: `${name}, in gzip`,
  kind,
  headers: { 'content-encoding': 'gzip' },
  body: () => gzipSync(body()),
})
const brotli = ({ name, kind, body }: HostileCase): HostileCase => ({
  name: `${name}, in brotli`,
  kind,
  headers: { 'content-encoding': 'br' },
  body: () => brotliCompressSync(body(), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
})

const text = (name: string, value: string) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`
const file = (name: string, content = 'x') =>
  `Content-Disposition: form-data; name="${name}"; filename="a.pdf"\r\nContent-Type: application/pdf\r\n\r\n${content}`

const list = (item: string, times: number) => `[${`${item},`.repeat(times - 1)}${item}]`
const nested = (open: string, inner: string, close: string, levels: number) =>
  open.repeat(levels) + inner + close.repeat(levels)

/** Numbers that cost more to read than they are long. */
export const numbers: readonly HostileCase[] = [
  json('eighty thousand numbers that no double holds', () => list('1e25', 80_000)),
  json('thirty thousand numbers with an exponent, as many as are read', () => list('1e25', 30_000)),
  json('two thousand numbers with an exponent, as many as an endpoint takes', () => list('1e25', 2_000)),
  json('thirty thousand ids that no double holds', () => list('9007199254740993', 30_000)),
  json('a number of a hundred thousand digits', () => '1'.repeat(100_000)),
]

/** One row for each way to hurt. Every endpoint that takes the kind gets it. */
export const corpus: readonly HostileCase[] = [
  gzipped(form('sixteen million fields', () => 'a&'.repeat(16 * megabyte))),
  form('a hundred thousand fields', () => 'a&'.repeat(100_000)),
  form('a hundred thousand separators', () => '&'.repeat(100_000)),
  form('one field of a hundred thousand escapes', () => `a=${'%41'.repeat(100_000)}`),
  form('an action of a hundred thousand digits', () => `action=add:a:${'1.'.repeat(50_000)}`),
  form('an action of a hundred thousand colons', () => `action=${'add:'.repeat(25_000)}`),
  form('a year of fifty thousand dashes', () => `onset.year=${'-'.repeat(50_000)}x&onset.day=1`),
  form('a name of fifteen thousand brackets', () => `${'onset[0'.repeat(2_000)}=1`),
  multipart('a year of fifty thousand dashes', () => text('onset.year', `${'-'.repeat(50_000)}x`)),
  multipart('a file part with a name of brackets and digits', () => file(`a${'[1]'.repeat(80)}x`)),
  multipart('a file part with a name of digits', () => file(`a${'[1'.repeat(900)}`)),
  multipart(
    'fifty file parts with names of fifteen kilobytes',
    ...Array(50).fill(() => file(`a${'[1]'.repeat(5_000)}x`)),
  ),
  multipart('ten thousand parts', () => Array(10_000).fill(text('a', '')).join(`\r\n--${boundary}\r\n`)),
  gzipped(json('eleven million empty objects', () => list('{}', 11_000_000))),
  brotli(json('four million empty objects', () => list('{}', 4_000_000))),
  gzipped(json('two hundred thousand empty objects', () => list('{}', 200_000))),
  json('a hundred thousand empty objects', () => list('{}', 100_000)),
  json('a hundred thousand empty lists in a member', () => `{"definitions":${list('[]', 100_000)}}`),
  json(
    'five thousand members that nobody knows',
    () => `{${Array.from({ length: 5_000 }, (_, n) => `"m${n}":1`).join()}}`,
  ),
  json('lists nested 4,100 deep', () => nested('[', '', ']', 4_100)),
  json('objects nested 4,100 deep', () => nested('{"a":', '1', '}', 4_100)),
  json('lists nested 100,000 deep', () => nested('[', '', ']', 100_000)),
  json('objects nested 4,100 deep in an item', () => `[{"Key":${nested('{"a":', '1', '}', 4_100)}}]`),
  json('eighteen lists of a thousand empty objects', () => list(list('{}', 1_000), 18)),
  json('a hundred thousand backslashes', () => `"${'\\\\'.repeat(50_000)}"`),
  csv('a header of ten megabytes', () => 'nationalId,'.repeat(megabyte)),
  csv('a header of one quote and ten megabytes of lines', () => `"${'a,\n'.repeat(3 * megabyte)}`),
  csv('a header of half a million quotes', () => '"'.repeat(megabyte / 2)),
  csv('a row of two megabytes of quotes', () => `nationalId\n${'"",'.repeat(megabyte / 2)}`),
  csv('twenty thousand rows of a stray quote', () => `nationalId\n${'a""b"\n'.repeat(20_000)}`),
  gzipped(csv('ten million blank lines', () => `nationalId\n${'\n'.repeat(10 * megabyte)}`)),
  gzipped(ndjson('a line of eleven million empty objects', () => list('{}', 11_000_000))),
  ndjson('a line of objects nested 100,000 deep', () => nested('{"a":', '1', '}', 100_000)),
  ndjson('twenty thousand lines of a number that no double holds', () => '{"a":1e25}\n'.repeat(20_000)),
  withHeaders('a token of blanks', { authorization: `Bearer ${' '.repeat(12_000)}x y` }),
  withHeaders('thousands of types that are accepted', { accept: 'a/b;q=0,'.repeat(1_500) }),
  withHeaders('a preference of blanks and commas', {
    prefer: `respond-async${' '.repeat(6_000)}${',\t'.repeat(3_000)}x`,
  }),
  withHeaders('conditions of quotes', { 'if-match': 'W/"'.repeat(4_000), 'if-none-match': '"",'.repeat(300) }),
  withHeaders('a cookie of equals signs', { cookie: `armature-forms=${'=;'.repeat(5_000)}`, authorization: '' }),
  withHeaders('ids and keys of ten thousand characters', {
    'idempotency-key': 'a'.repeat(5_000),
    'x-request-id': 'a'.repeat(5_000),
    traceparent: '0'.repeat(2_000),
  }),
]
