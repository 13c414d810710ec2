// Reads lists page by page, and answers line by line.

/** The entries of a page and where the next one begins, independent of how the endpoint spells them. */
interface Position {
  hasNext: boolean
  endCursor: string
  nodes: unknown[]
}

/** Reads a list page by page. @param read reads the page after a cursor, or the first page without one. */
export async function* pagesOf<Page>(read: (after: string | undefined) => Promise<Page>): AsyncGenerator<Page> {
  let after: string | undefined
  do {
    const page = await read(after)
    yield page
    const { hasNext, endCursor } = positionOf(page)
    after = hasNext ? endCursor : undefined
  } while (after !== undefined)
}

/** Returns the entries of a page. */
export const nodesOf = (page: unknown): unknown[] => positionOf(page).nodes

function positionOf(page: unknown): Position {
  const { PageInfo, Edges, pageInfo, edges } = Object(page)
  return PageInfo === undefined
    ? { hasNext: pageInfo.hasNextPage, endCursor: pageInfo.endCursor, nodes: edges.map(nodeOf) }
    : { hasNext: PageInfo.HasNextPage, endCursor: PageInfo.EndCursor, nodes: Edges.map(nodeOf) }
}

const nodeOf = (edge: { Node?: unknown; node?: unknown }): unknown => edge.Node ?? edge.node

/** Parses lines of JSON as they arrive. @throws the error of the stream if the answer breaks off. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  let rest = ''
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') yield JSON.parse(line)
  }
  if (rest !== '') yield JSON.parse(rest)
}
