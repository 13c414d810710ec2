// Expressions of pipelines.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { getPriority } from 'node:os'
import { expect, test } from 'vitest'
import { expressionFault } from '../../runtime/expressions/expressions.js'
import { NotEvaluated } from '../../runtime/expressions/parsed-texts.js'
import { stringifyExactJson } from '../../runtime/json/exact-json.js'
import { hostileExpressions } from '../hostile/expressions.js'
import { exactScope, scope, startEvaluator, writtenScope } from '../support/expressions.js'

const { expression: evaluateInProcess } = startEvaluator()
let tenants = 100
/** As a tenant of its own: after an expression that was ended the next one of its tenant waits. */
const evaluate = (text: string, scope: object) => evaluateInProcess(++tenants, 'request', text, scope)

test.each([
  ['request.body.list.a', 2],
  ['[request.body.list.a]', [2]],
  ['request.body.list', [1, { a: 2 }]],
  ['request.missing', null],
  ['variables.base & "/" & steps.first.body.id', 'https://example.org/7'],
  ['$match("a text that is long enough", /l(on)g/).groups', ['on']],
  ['$split("a, b, and many more words", /, /)', ['a', 'b', 'and many more words']],
  ['($f := function($n) { $n = 0 ? 0 : 1 + $f($n - 1) }; $f(90))', 90],
  ['$$', scope],
])('the expression %s gives %j, as plain JSON', async (text, expected) => {
  expect(expressionFault(text)).toBeUndefined()
  const result = await evaluate(text, scope)
  expect(result).toEqual(expected)
  expect(Object.getOwnPropertyNames(result ?? {}).sort()).toEqual(Object.getOwnPropertyNames(expected ?? {}).sort())
})

test.each([
  ['request.body[', 1, 14, 'Expected "]" before end of expression'],
  ['{"a":\n  1 +\n }', 3, 2, 'The symbol "}" cannot be used as a unary operator'],
  ['$a := 1; 2', 1, 8, 'Syntax error: ";"'],
  ['('.repeat(19_000), 1, 1, expect.stringMatching(/\S/)],
])('an expression that does not parse is faulted where it is wrong: %#', (text, line, column, message) => {
  expect(expressionFault(text)).toEqual({ line, column, message })
})

test.each([
  ['$eval("1 + 1")', 'it calls what is no function'],
  ['$nothing(1)', 'it calls what is no function'],
  ['function($x) { $x }', 'it cannot be evaluated'],
  ['$error(request.body.name)', 'JSONata D3137'],
  ['$number(request.body.name)', 'JSONata D3030'],
])('%s fails, without its values: %s', async (text, why) => {
  const failed = await evaluate(text, scope).catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(NotEvaluated)
  expect(failed).toMatchObject({ message: expect.stringContaining(why) })
  expect(String(failed)).not.toContain('Zoë')
})

test('after an expression that took too long its tenant’s next one waits, so that others have the processors', async () => {
  const slow = hostileExpressions.find(({ why }) => why === 'it takes too long')
  if (!slow) throw new Error('No expression takes too long')
  await expect(evaluateInProcess(3, 'request', slow.expression, { request: { body: slow.body } })).rejects.toThrow()
  const endedAt = Date.now()
  expect(await evaluateInProcess(3, 'request', '1 + 1', {})).toBe(2)
  // It is waited for: a slow machine only adds to it.
  expect(Date.now() - endedAt).toBeGreaterThan(600)
})

test('a list that a result repeats is too much for the process that asked, and is not sent there', async () => {
  const repeated = '($list := [1..1000].{}; [1..request.n].{"a": $list})'
  const result = evaluateInProcess(1, 'job', repeated, { request: { n: 3_000 } }).catch(String)
  expect(await result).toContain('its result is too long')
})

/** Of this process. */
function childProcesses(): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  const all = rows.map(row => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row) ?? [])
  return all.flatMap(([, pid, parent, args]) =>
    Number(parent) === process.pid && /expression-process|defunct/.test(args ?? '') ? [Number(pid)] : [],
  )
}

test.each([
  ['steps.list.rows[0].id', '9007199254740993'],
  ['steps.list.rows.{"Id": id}', '[{"Id":9007199254740993},{"Id":9007199254740992},{"Id":12345678901234567890}]'],
  ['$map(steps.list.rows, function($r) { $string($r.id) })[2]', '"12345678901234567890"'],
  ['$string(steps.list.rows[0])', '"{\\"id\\":9007199254740993,\\"weight\\":72.66666666666666666667,\\"n\\":2}"'],
  ['steps.list.rows[2].id & "-" & steps.list.rows[0].n', '"12345678901234567890-2"'],
  ['$join(steps.list.rows.id.$string(), ",")', '"9007199254740993,9007199254740992,12345678901234567890"'],
  ['$join(steps.list.rows.id ~> $map($string), ",")', '"9007199254740993,9007199254740992,12345678901234567890"'],
  ['$count($distinct(steps.list.rows.id))', '3'],
  ['steps.list.rows[0].id = steps.list.rows[1].id', 'false'],
  ['steps.list.rows[0].id in [steps.list.rows.id]', 'true'],
  ['$round(steps.list.rows[0].weight, 2)', '72.67'],
  ['steps.list.rows[0].weight * 2 + 1', '146.33333333333334'],
  ['-steps.list.rows[0].weight', '-72.66666666666667'],
  ['$sum(steps.list.rows.weight)', '84.16666666666667'],
  ['$max(steps.list.rows.weight)', '72.66666666666667'],
  ['steps.list.rows[weight > 20].n', '2'],
  ['steps.list.rows^(>weight).n', '[2,1,3]'],
  ['$sort(steps.list.rows.weight)', '[1.5,10,72.66666666666666666667]'],
  ['$sort(steps.list.rows, function($a, $b) { $a.weight > $b.weight }).n', '[3,1,2]'],
  ['$type(steps.list.rows[0].id)', '"number"'],
  ['steps.list.rows[0].id ? 1 : 2', '1'],
  ['$string(steps.none)', 'null'],
  ['steps.none & "a"', '"a"'],
  ['($f := function($n) { $n = 0 ? 0 : 1 + $f($n - 1) }; $f(90))', '90'],
])('the expression %s keeps the digits that no double has: %s', async (text, json) => {
  expect(stringifyExactJson(await evaluate(text, exactScope))).toBe(json)
})

test.each([
  ['steps.list.rows.w', '[77.50,9.50]'],
  ['steps.list.rows[0].w & "kg"', '"77.50kg"'],
  ['$string(steps.list.rows[0].w)', '"77.50"'],
  ['steps.list.rows[w = 77.5].n', '1.0'],
  ['steps.list.rows[77.5 != w].n', '2.00'],
  ['1 in steps.list.rows.n', 'true'],
  ['steps.list.rows[0].n = steps.list.rows[1].n', 'false'],
  ['($n := steps.list.rows[0].n; ["a", "b"][$n])', '"b"'],
  ['steps.list.rows[0].zero ? "yes" : "no"', '"no"'],
  ['steps.list.rows[0].zero or steps.list.rows[0].n', 'true'],
  ['$not(steps.list.rows[0].zero)', 'true'],
  ['$boolean(steps.list.rows[0].zero)', 'false'],
  ['$substring("abc", steps.list.rows[0].n)', '"bc"'],
  ['$pad("a", steps.list.rows[1].n)', '"a "'],
  ['$sum(steps.list.rows.w)', '87'],
  ['$max(steps.list.rows.n)', '2'],
  ['steps.list.rows^(w).w', '[9.50,77.50]'],
  ['[steps.list.rows[0].n..steps.list.rows[1].n]', '[1,2]'],
])('the expression %s compares and calculates numbers by value, however they are written: %s', async (text, json) => {
  expect(stringifyExactJson(await evaluate(text, writtenScope))).toBe(json)
})

test('an expression reaches nothing but what it is given', async () => {
  for (const text of [
    'constructor',
    'request.constructor',
    '$lookup(request, "__proto__")',
    'process',
    'request.body.name.constructor',
  ]) {
    expect(await evaluate(text, scope)).toBeNull()
  }
})

test("a tenant's expression is refused with 503 if too many are waiting already", async () => {
  const all = Array.from({ length: 502 }, () => evaluateInProcess(2, 'request', '1', {}))
  const refused = (await Promise.allSettled(all)).flatMap(each => (each.status === 'rejected' ? [each.reason] : []))
  expect(refused).toEqual([expect.objectContaining({ status: 503, code: 'busy', headers: { 'Retry-After': '5' } })])
})

test('processes for expressions, with all their threads, have a lower priority than the process that asks', async () => {
  expect(await evaluate('1 + 1', {})).toBe(2)
  // Another one may just have been started.
  const priorities = () =>
    new Set(
      childProcesses()
        .flatMap(threadsOf)
        .map(thread => getPriority(thread)),
    )
  await expect.poll(priorities).toEqual(new Set([Math.min(getPriority() + 10, 19)]))
})

/** Linux has a priority for each thread. */
const threadsOf = (pid: number): number[] =>
  existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid]

test('an expression still gets a process after all child processes have died, and the asking process survives', async () => {
  const others = childProcesses()
  const { expression } = startEvaluator()
  const busy = '$count([1..4000].($ * 2))'
  // More than one process has time for, so that the others are warm too.
  const counts = await Promise.all(Array.from({ length: 40 }, (_, tenant) => expression(tenant, 'request', busy, {})))
  expect(new Set(counts)).toEqual(new Set([4_000]))
  for (const pid of childProcesses().filter(pid => !others.includes(pid))) process.kill(pid, 'SIGKILL')
  const sums = ['1 + 1', '2 + 2'].map(text => expression(1, 'request', text, {}))
  expect(await Promise.all(sums)).toEqual([2, 4])
})
