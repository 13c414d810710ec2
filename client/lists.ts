// Lists read page by page, and answers read line by line.

/** The parts of a page that lead to the next one, in either spelling of the API. */
interface Position {
  hasNext: boolean
  endCursor: string
  nodes: unknown[]
}

/** The pages of a list, one at a time. @param read the page after a cursor; the first without. */
export async function* pagesOf<Page>(read: (after: string | undefined) => Promise<Page>): AsyncGenerator<Page> {
  let after: string | undefined
  do {
    const page = await read(after)
    yield page
    const { hasNext, endCursor } = positionOf(page)
    after = hasNext ? endCursor : undefined
  } while (after !== undefined)
}

/** The entries of a page. */
export const nodesOf = (page: unknown): unknown[] => positionOf(page).nodes

function positionOf(page: unknown): Position {
  const { PageInfo, Edges, pageInfo, edges } = Object(page)
  return PageInfo === undefined
    ? { hasNext: pageInfo.hasNextPage, endCursor: pageInfo.endCursor, nodes: edges.map(nodeOf) }
    : { hasNext: PageInfo.HasNextPage, endCursor: PageInfo.EndCursor, nodes: Edges.map(nodeOf) }
}

const nodeOf = (edge: { Node?: unknown; node?: unknown }): unknown => edge.Node ?? edge.node

/** The values of lines of JSON, as they arrive. @throws what the stream throws where the answer breaks off. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  let rest = ''
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') yield JSON.parse(line)
  }
  if (rest !== '') yield JSON.parse(rest)
}
