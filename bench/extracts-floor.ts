// The floor of extracts: a bare server that streams the rows of one query. Like the API, it is a process of its own.
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { createPool } from 'mysql2'
import { buildingBlocks } from '../test/support/extract-population-form.js'
import { floorQueries } from './extracts-floor-queries.js'

interface Row {
  instance_id: string
  subject_id: string
  submitted_by: string
  submitted_at: Date
  correlation_id: string | null
  block_key: string
  document: string
}

const [tenantId] = process.argv.slice(2)
const pool = createPool({
  uri: process.env.DATABASE_URL ?? '',
  connectionLimit: 2,
  charset: 'utf8mb4',
  timezone: 'Z',
  dateStrings: false,
})

const heads = new Map(
  buildingBlocks.map(({ key, sections }) => [
    key,
    sections.flatMap(({ controls }) =>
      controls.map(({ id, label, ...more }): [string, string] => {
        const dataType = 'dataType' in more ? more.dataType : 'string'
        return [id, `${JSON.stringify({ id, label, dataType }).slice(0, -1)},"values":`]
      }),
    ),
  ]),
)

function blockOf({ block_key, document }: Row): string {
  const values = JSON.parse(document)
  const controls = heads.get(block_key)?.map(([id, head]) => `${head}${JSON.stringify(values[id])}}`)
  return `{"key":"${block_key}","controls":[${controls?.join(',')}]}`
}

async function* lines(rows: AsyncIterable<Row>): AsyncGenerator<string> {
  let text = ''
  let instance = ''
  const blocks = new Map<string, string>()
  const ended = () => {
    const all = buildingBlocks.map(({ key }) => blocks.get(key))
    return instance === '' ? '' : `${instance},"buildingBlocks":[${all.join(',')}]}\n`
  }
  let last = ''
  for await (const row of rows) {
    if (row.instance_id !== last) {
      text += ended()
      if (text.length > 65_536) {
        yield text
        text = ''
      }
      last = row.instance_id
      instance = JSON.stringify({
        identifier: 'visit',
        type: 'form',
        instanceGuid: row.instance_id,
        subjectIdentifier: row.subject_id,
        submittedByUserIdentifier: row.submitted_by,
        submissionDateTime: row.submitted_at,
        correlationId: row.correlation_id ?? undefined,
      }).slice(0, -1)
    }
    blocks.set(row.block_key, blockOf(row))
  }
  yield text + ended()
}

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://floor')
  const sql = floorQueries[pathname.slice(1)] ?? ''
  const rows = pool.query(sql, [tenantId, Number(searchParams.get('limit'))]).stream()
  Readable.from(lines(rows)).pipe(response)
})
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
