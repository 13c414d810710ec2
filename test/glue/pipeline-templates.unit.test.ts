// Templates of pipelines.
import { expect, test } from 'vitest'
import { templateFault } from '../../runtime/expressions/templates.js'
import { parseLosslessJson } from '../../runtime/json/exact-json.js'
import { largeList } from '../hostile/templates.js'
import { exactScope, rendered, scope, startEvaluator, writtenScope } from '../support/expressions.js'

const { template } = startEvaluator()

test.each([
  ['plain, with } and {', 'plain, with } and {'],
  ['{{ variables.base }}/{{ steps.first.body.id }}', 'https://example.org/7'],
  ['{{ request.body.name }}', 'Zoë "Z"'],
  ['{"name": {{ request.body.name | json }}}', '{"name": "Zoë \\"Z\\""}'],
  ['{{ request.body.name | url_encode }}', 'Zo%C3%AB+%22Z%22'],
  ['{{ request.body.list }}', '[1,{"a":2}]'],
  ['{{ request.body.none }}|{{ request.body.yes }}', '|true'],
  ['{{ request.body.none | json }}', 'null'],
  ['{{ request.query["x-y"][1] }}', '2'],
  ['{{ request.body.missing | default: "" }}', ''],
  ['{{ request.body.missing.deeper | default: nil | json }}', 'null'],
  ['{% if request.body.missing %}a{% else %}b{% endif %}', 'b'],
  ['{% for each in request.body.list %}{{ forloop.index }}{% endfor %}', '12'],
])('the template %s gives %s', (text, expected) => {
  expect(templateFault(text)).toBeUndefined()
  expect(rendered(text, scope)).toBe(expected)
})

test.each([
  ['{{ request.body.name', 1, 1, /not closed/],
  ['one\n  {{ variables.base | nothing }}', 2, 3, /undefined filter: nothing/],
  ['{% if request.body %}\n{% for x in y %}', 2, 1, /not closed/],
  ['a\nb {% include "other" %}', 2, 3, /"include" not found/],
  ['{% render "/etc/passwd" %}', 1, 1, /"render" not found/],
  ['{% layout "x" %}', 1, 1, /"layout" not found/],
  ['{{ "'.concat('a'.repeat(200_001), '" }}'), 1, 1, /limit exceeded/],
])('a template that does not parse is faulted where it is wrong: %#', (text, line, column, message) => {
  expect(templateFault(text)).toEqual({ line, column, message: expect.stringMatching(message) })
})

const doubled = '{% assign s = "aaaaaaaaaa" %}{% for i in (1..60) %}{% assign s = s | append: s %}{% endfor %}'

test.each([
  [
    '{{ variables.nothing }}',
    "Line 1, column 4 of the template: there is no 'variables.nothing'.",
    'variables.nothing',
  ],
  ['a\n{{ request.body.x.y }}', "Line 2, column 4 of the template: there is no 'request.body.x'.", 'request.body.x'],
  [
    '{{ request.body.constructor }}',
    expect.stringContaining("there is no 'request.body.constructor'"),
    expect.any(String),
  ],
  ['{{ process.env }}', expect.stringContaining("there is no 'process'"), 'process'],
  [
    '{% for x in request.body.x %}{% endfor %}',
    expect.stringContaining("there is no 'request.body.x'"),
    'request.body.x',
  ],
  ['{% for i in (1..1000000000) %}{% endfor %}', expect.stringContaining('memory alloc limit exceeded'), undefined],
  [doubled, expect.stringContaining('memory alloc limit exceeded'), undefined],
])('a template that cannot be rendered says where and why: %#', (text, message, missing) => {
  expect(thrownBy(() => rendered(text, scope))).toMatchObject({ name: 'NotEvaluated', message, missing })
})

test('a template gives the same in the child process, and names what is missing', async () => {
  const [row] = largeList.rows
  const large = {
    request: { body: { rows: largeList.rows.slice(0, 2_000), id: parseLosslessJson('9007199254740993') } },
  }
  const rendered = (text: string) => template(1, 'job', text, large)
  expect(await rendered('{% for row in request.body.rows limit: 1 %}{{ row }}{% endfor %}')).toBe(JSON.stringify(row))
  expect(await rendered('{% if true %}{{ request.body.id }}{% endif %}')).toBe('9007199254740993')
  expect(await rendered('{{ request.body.rows | map: "id" | sort | first }}')).toBe('0')
  const missing = rendered('{% if true %}{{ request.body.x }}{% endif %}').catch((error: unknown) => error)
  expect(await missing).toMatchObject({
    missing: 'request.body.x',
    message: "Line 1, column 17 of the template: there is no 'request.body.x'.",
  })
})

test('what a failing template says holds none of its values', () => {
  const failing = [
    '{{ request.body.name | date: request.body.list }}{{ x }}',
    '{{ request.body.name.x }}',
    '{{ request.body.list | sort: "a" | map: x }}',
  ]
  for (const text of failing) expect(String(thrownBy(() => rendered(text, scope)))).not.toContain('Zoë')
})

test.each([
  ['{{ steps.list.rows[0].id }}', '9007199254740993'],
  ['{{ steps.list.rows[0].id | json }}', '9007199254740993'],
  ['{{ steps.list.rows[2].id | append: "x" | url_encode }}', '12345678901234567890x'],
  ['{{ steps.list.rows[0] }}', '{"id":9007199254740993,"weight":72.66666666666666666667,"n":2}'],
  ['{{ steps.list.rows[0].weight | round: 1 }}', '72.7'],
  ['{% if steps.list.rows[0].weight > 72 %}more{% endif %}', 'more'],
])('the template %s keeps the digits that no double has: %s', (text, expected) => {
  expect(rendered(text, exactScope)).toBe(expected)
})

test.each([
  ['{{ steps.list.rows[0].w }} {{ steps.list.rows[0].w | json }}', '77.50 77.50'],
  ['{% if steps.list.rows[0].w == 77.5 and 77.5 == steps.list.rows[0].w %}same{% endif %}', 'same'],
  ['{% if steps.list.rows[0].n != 1 %}other{% endif %}', ''],
  ['{% if steps.list.rows[1].w < steps.list.rows[0].w and steps.list.rows[0].w >= 77.5 %}less{% endif %}', 'less'],
  ['{% case steps.list.rows[0].n %}{% when 1 %}one{% endcase %}', 'one'],
  ['{{ steps.list.rows | map: "w" | sort | join: " " }}', '9.50 77.50'],
  ['{{ steps.list.rows[0].w | plus: 1 }}', '78.5'],
])('the template %s compares and calculates numbers by value, however they are written: %s', (text, expected) => {
  expect(rendered(text, writtenScope)).toBe(expected)
})

function thrownBy(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}
