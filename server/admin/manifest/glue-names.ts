// Finds the names that a Liquid template or a JSONata expression reads.
import jsonata from 'jsonata'
import { analyzeSync, Liquid, Variable } from 'liquidjs'

/**
 * A place where a text reads something: `variables.token` is ['variables', 'token']. A part that is known only when the text
 * runs (`variables[request.query.name]`) is undefined.
 */
export interface Read {
  path: (string | undefined)[]
  line: number
  column: number
}

const liquid = new Liquid()

/** All that a sound template reads from outside itself: what it assigns or loops over is its own. */
export function templateReads(template: string): Read[] {
  // Nothing else is read: a template cannot include others.
  const { globals } = analyzeSync(liquid.parse(template), { partials: false })
  return Object.values(globals).flatMap(variables => variables.map(readOf))
}

const readOf = ({ segments, location }: Variable): Read => ({
  path: segments.map(segment => (segment instanceof Variable ? undefined : String(segment))),
  line: location.row,
  column: location.col,
})

/** A node of JSONata's syntax tree; its published type leaves out most members. */
interface Node {
  type: string
  value?: unknown
  position?: number
  steps?: Node[]
  stages?: unknown
  predicate?: unknown
  group?: unknown
  focus?: unknown
}

/**
 * The names that a valid expression certainly reads from its input.
 * Names inside a path, a predicate or a function's argument may belong to any data, so they are left out.
 */
export function expressionReads(expression: string): Read[] {
  const reads: Read[] = []
  const found = (path: Node[]) => {
    const names = path.map(({ type, value }) => (type === 'name' ? String(value) : undefined))
    reads.push({ path: names, ...place(expression, path[0]) })
  }
  visit(jsonata(expression).ast(), true)
  return reads

  /** @param atTop what is looked at reads the whole input. */
  function visit(value: unknown, atTop: boolean): void {
    if (Array.isArray(value)) for (const each of value) visit(each, atTop)
    else if (isNode(value)) visitNode(value, atTop)
    // The pairs of an object, the filter of a predicate.
    else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) visit(each, atTop)
  }

  function visitNode({ steps, stages, predicate, group, ...node }: Node, atTop: boolean): void {
    if (steps) visitPath(steps, atTop)
    // `| … | … |` looks into what it is given.
    else visit(Object.values(node), atTop && node.type !== 'transform')
    visit([stages, predicate, group], false)
  }

  function visitPath([first, ...rest]: Node[], atTop: boolean): void {
    // `$$` is the whole input wherever it stands, `$` what is looked at.
    const isWhole = first?.type === 'variable' && (first.value === '$' || (first.value === '' && atTop))
    if (isWhole) found(certain(rest))
    else if (first?.type === 'name' && atTop) found(certain([first, ...rest]))
    visit(first, atTop)
    visit(rest, false)
  }
}

/** The steps whose names are certain: after a predicate or a binding a path may go on in anything. */
function certain(path: Node[]): Node[] {
  const last = path.findIndex(({ stages, focus }) => stages !== undefined || focus !== undefined)
  return last < 0 ? path : path.slice(0, last + 1)
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** A node's position is the place after its text. */
function place(expression: string, node: Node | undefined): { line: number; column: number } {
  const before = expression.slice(0, (node?.position ?? 0) - String(node?.value ?? '').length)
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') }
}
