// Makes TypeScript types of a description: node generate.mjs openapi.json api.ts. The types stand for openapi-fetch.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'

const [from, to] = process.argv.slice(2)
/**
 * Leaves kinds of later releases out of unions, so that `type` tells the others apart. Nothing checks an answer while the
 * program runs, so it reads unknown kinds all the same.
 */
const withoutUnknownKinds = (keyword, value) =>
  keyword === 'anyOf' ? value.filter(({ $ref }) => $ref !== '#/components/schemas/UnknownKind') : value
const description = JSON.parse(readFileSync(from, 'utf8'), withoutUnknownKinds)
const { paths, components } = description

/** Bytes: a file to send, or one that is answered. */
const binary = ts.factory.createTypeReferenceNode('Binary')
const nodes = await openapiTS(description, {
  defaultNonNullable: false,
  transform: schema => (schema.format === 'binary' ? binary : undefined),
})

/** Leaves out the addresses of guides, which differ from installation to installation. */
const withoutGuides = (keyword, value) => (keyword === 'externalDocs' ? undefined : value)
const digest = createHash('sha256')
  .update(JSON.stringify([paths, components.schemas], withoutGuides))
  .digest('hex')

writeFileSync(
  to,
  `// Types of the API, generated from its description by openapi-typescript. Do not edit: npm run build writes it.
// SHA-256 of the paths and schemas of that description: ${digest}

/** The body of a file: bytes, or a stream of them. A function gives a new stream for each attempt. */
export type Binary = string | Blob | Uint8Array | ReadableStream | (() => ReadableStream)

${astToString(nodes)}`,
)
