// Values of templates, escaped by the place where they come to stand.
import { describe, expect, test } from 'vitest'
import { placeOfBody } from '../../runtime/expressions/escaped-output.js'
import { rendered, startEvaluator } from '../support/expressions.js'

/** Values that would break out of one place or another. */
const hostile = [
  '1&role=admin',
  '1?role=admin#x',
  '1", "role": "admin',
  '1"}, {"role": "admin"',
  '\\',
  '\\", "role": "admin',
  '"',
  "' onload='x",
  '<script>x</script>&amp;',
  'a b\n\t\r\u2028ü😀',
  '%2e%2e%2f',
  '+',
  '{{ variables.secret }}',
  '$& $1',
]
const scope = (value: unknown) => ({
  request: { query: { id: value }, body: { id: value } },
  variables: { secret: 's' },
})

describe.each(hostile)('the value %j', value => {
  test('stays one value of an address’s query', () => {
    const url = new URL(rendered('https://a.example/x?id={{ request.query.id }}&n=1', scope(value), 'address'))
    expect([...url.searchParams]).toEqual([
      ['id', value],
      ['n', '1'],
    ])
  })

  test('stays one segment of a path', () => {
    const url = new URL(rendered('https://a.example/x/{{ request.query.id }}/y', scope(value), 'address'))
    expect([url.search, url.hash, url.pathname.split('/').map(decodeURIComponent)]).toEqual([
      '',
      '',
      ['', 'x', value, 'y'],
    ])
  })

  test('stays a text of a JSON body, with quotes of the author’s and without', () => {
    const template =
      '{"a\\"b": "x", "in": "<{{ request.body.id }}>", "bare": {{ request.body.id }}, "filter": {{ request.body.id | json }}}'
    expect(JSON.parse(rendered(template, scope(value), 'json'))).toEqual({
      'a"b': 'x',
      in: `<${value}>`,
      bare: value,
      filter: value,
    })
  })

  test('stays a text where tags, loops and assignments stand around it', () => {
    const template =
      '{% assign x = request.body.id %}{% capture y %}{{ x }}{% endcapture %}[{% for i in (1..2) %}"{{ x }}", {% endfor %}{% if x %}{{ y }}{% endif %}, {% echo x %}]'
    expect(JSON.parse(rendered(template, scope(value), 'json'))).toEqual([value, value, value, value])
  })

  test('stays one field of a form', () => {
    const form = rendered('id={{ request.body.id }}&n=1', scope(value), 'form')
    expect([...new URLSearchParams(form)]).toEqual([
      ['id', value],
      ['n', '1'],
    ])
  })

  test('stays text in markup', () => {
    const text = rendered('<a b="{{ request.body.id }}">', scope(value), 'markup').slice(6, -2)
    expect(text).not.toMatch(/[<>"']/)
    expect(text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))).toBe(value)
  })

  test('stays as it is where the author says so, and in plain text', () => {
    for (const place of ['address', 'json', 'form', 'markup'] as const)
      expect(rendered('x{{ request.body.id | raw }}', scope(value), place)).toBe(`x${value}`)
    expect(rendered('{{ request.body.id }}', scope(value), 'text')).toBe(value)
  })
})

test.each([
  [null, 'null'],
  [7, '7'],
  [true, 'true'],
  [[1, { a: '"' }], '[1,{"a":"\\""}]'],
])('the value %j is JSON where it stands without quotes', (value, expected) => {
  expect(rendered('{{ request.body.id }}', scope(value), 'json')).toBe(expected)
})

test('a list or an object in quotes is the text of its JSON', () => {
  expect(JSON.parse(rendered('"{{ request.body.id }}"', scope([1, { a: '"' }]), 'json'))).toBe('[1,{"a":"\\""}]')
})

test.each([
  [
    '{{ request.body.id }}/visits?x={{ request.body.id }}',
    'https://a.example/b',
    'https://a.example/b/visits?x=https%3A%2F%2Fa.example%2Fb',
  ],
  ['https://{{ request.body.id }}/x', 'localhost:3000', 'https://localhost:3000/x'],
  ['https://{{ request.body.id }}/x', 'a@b/c?d', 'https://a%40b%2Fc%3Fd/x'],
  ['x?q={{ request.body.id | url_encode }}', 'a b&c', 'x?q=a+b%26c'],
  ['x?q={{ request.body.id | json }}', '"&', 'x?q=%22%5C%22%26%22'],
  ['x?q={{ request.body.id }}', 'a\ud800b', 'x?q=a%EF%BF%BDb'],
])('the address %s with %j is %s', (template, value, expected) => {
  expect(rendered(template, scope(value), 'address')).toBe(expected)
})

test('filters that escape for their place are not escaped again', () => {
  expect(rendered('{{ request.body.id | escape }}', scope('<b>'), 'markup')).toBe('&lt;b&gt;')
  expect(rendered('a={{ request.body.id | url_encode }}', scope('b c'), 'form')).toBe('a=b+c')
  expect(rendered('{{ request.body.id | json | url_encode }}', scope('b'), 'json')).toBe('"%22b%22"')
})

test('a template escapes in the child process as in the tests above', async () => {
  const { template } = startEvaluator()
  const text = '{% if true %}{"id": "{{ request.body.id }}"}{% endif %}'
  expect(JSON.parse(await template(1, 'job', text, scope('1", "role": "admin'), 'json'))).toEqual({
    id: '1", "role": "admin',
  })
})

test.each([
  [{}, 'json'],
  [{ 'content-TYPE': 'application/fhir+json; charset=utf-8' }, 'json'],
  [{ 'Content-Type': 'application/x-www-form-urlencoded' }, 'form'],
  [{ 'Content-Type': 'text/html;charset=utf-8' }, 'markup'],
  [{ 'Content-Type': 'application/soap+xml' }, 'markup'],
  [{ 'Content-Type': 'image/svg+xml' }, 'markup'],
  [{ 'Content-Type': 'text/plain' }, 'text'],
  [{ 'Content-Type': 'text/csv' }, undefined],
  [{ 'Content-Type': '{{ request.query.type }}' }, undefined],
])('the body of a call with the headers %j is %s', (headers, place) => {
  expect(placeOfBody(headers, 'application/json')).toBe(place)
})
