// Finds the names that a Liquid template or a JSONata expression reads.
import jsonata from 'jsonata'
import { analyzeSync, Liquid, Variable } from 'liquidjs'

/**
 * A place where a text reads a value: `variables.token` has the path ['variables', 'token']. A part that is known only
 * at run time, as in `variables[request.query.name]`, is undefined.
 */
export interface Read {
  path: (string | undefined)[]
  line: number
  column: number
}

const liquid = new Liquid()

/** Returns what a valid template reads from its scope. Names that it assigns or loops over itself are left out. */
export function templateReads(template: string): Read[] {
  // A template cannot include others, so partials need not be followed.
  const { globals } = analyzeSync(liquid.parse(template), { partials: false })
  return Object.values(globals).flatMap(variables => variables.map(readOf))
}

const readOf = ({ segments, location }: Variable): Read => ({
  path: segments.map(segment => (segment instanceof Variable ? undefined : String(segment))),
  line: location.row,
  column: location.col,
})

/** A node of JSONata's syntax tree, whose published type lacks most members. */
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
 * Returns the names that a valid expression certainly reads from its input. Names inside a path, a predicate or a
 * function's argument may refer to any data, so they are left out.
 * @param isOfRow whether the expression is evaluated on a row, so that only `$$` is the input.
 */
export function expressionReads(expression: string, isOfRow = false): Read[] {
  const reads: Read[] = []
  const addRead = (path: Node[]) => {
    const names = path.map(({ type, value }) => (type === 'name' ? String(value) : undefined))
    reads.push({ path: names, ...place(expression, path[0]) })
  }
  visit(jsonata(expression).ast(), !isOfRow)
  return reads

  /** @param atTop whether names in this part refer to the whole input. */
  function visit(value: unknown, atTop: boolean): void {
    if (Array.isArray(value)) for (const each of value) visit(each, atTop)
    else if (isNode(value)) visitNode(value, atTop)
    // For instance the pairs of an object, or the filter of a predicate.
    else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) visit(each, atTop)
  }

  function visitNode({ steps, stages, predicate, group, ...node }: Node, atTop: boolean): void {
    if (steps) visitPath(steps, atTop)
    // `| … | … |` reads from the value that it transforms, not from the input.
    else visit(Object.values(node), atTop && node.type !== 'transform')
    visit([stages, predicate, group], false)
  }

  function visitPath([first, ...rest]: Node[], atTop: boolean): void {
    // `$$` is the whole input anywhere; `$` is the present context, which is the whole input only at the top.
    const isWhole = first?.type === 'variable' && (first.value === '$' || (first.value === '' && atTop))
    if (isWhole) addRead(certain(rest))
    else if (first?.type === 'name' && atTop) addRead(certain([first, ...rest]))
    visit(first, atTop)
    visit(rest, false)
  }
}

/** Returns the steps whose names are certain. After a predicate or a binding, a path may continue in any value. */
function certain(path: Node[]): Node[] {
  const last = path.findIndex(({ stages, focus }) => stages !== undefined || focus !== undefined)
  return last < 0 ? path : path.slice(0, last + 1)
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** Returns where a node begins. JSONata's position is the end of the node's text. */
function place(expression: string, node: Node | undefined): { line: number; column: number } {
  const before = expression.slice(0, (node?.position ?? 0) - String(node?.value ?? '').length)
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') }
}
