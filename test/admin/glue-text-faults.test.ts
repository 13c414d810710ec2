// Faults of templates and expressions in a manifest.
import { beforeEach, expect, test } from 'vitest'
import { endpoint, grant, pipeline, provider, withGlue } from '../support/glue-manifest.js'
import { problem } from '../support/http.js'
import { manifestOf } from '../support/manifest.js'

let tenant: Awaited<ReturnType<typeof manifestOf>>
beforeEach(async () => {
  tenant = await manifestOf()
})

/** The steps `before` (a request), then one with the text, then `after`. */
const inBody = (body: string) =>
  pipeline(
    { name: 'before', httpRequest: { url: 'https://a.example' } },
    { name: 'here', httpRequest: { url: 'https://a.example', method: 'POST', body } },
    { name: 'after', respond: {} },
  )
const inTransform = (expression: string) =>
  pipeline(
    { name: 'before', transform: { expression: '1' } },
    { name: 'here', transform: { expression } },
    { name: 'after', respond: {} },
  )

const template = '/glue/endpoints/0/steps/1/httpRequest/body'
const expression = '/glue/endpoints/0/steps/1/transform/expression'

test.each([
  // A template that does not parse, with line and column.
  ['{{ request.body', 'invalid-template', /^Line 1, column 1: .*not closed/],
  ['a\n  {% if %}x{% endif %}', 'invalid-template', /^Line 2, column \d+: /],
  ['a\nb\n {% script %}', 'invalid-template', /^Line 3, column 2: tag "script" not found/],
  ['{{ request.body | shout }}', 'invalid-template', /^Line 1, column \d+: .*shout/],
  ['{% include "other" %}', 'invalid-template', /tag "include" not found/],
  ['{% if request.body %}', 'invalid-template', /not closed/],
  // Names.
  ['{{ variables.nope }}', 'unknown-variable', "Line 1, column 4: There is no variable 'nope'."],
  ['{{ variables.Plain }}', 'unknown-variable', "Line 1, column 4: There is no variable 'Plain'."],
  ['x\n{{ steps.here.body }}', 'unknown-step', "Line 2, column 4: No step before this one is called 'here'."],
  ['{{ "a" | append: steps.after }}', 'unknown-step', "Line 1, column 18: No step before this one is called 'after'."],
  [
    '{% if requst.body %}{% endif %}',
    'unknown-name',
    "Line 1, column 7: 'requst' is not known; use request, steps or variables.",
  ],
  [
    '{{ request.headers.Cookie }}',
    'unknown-name',
    "Line 1, column 4: A request has method, query, body, userToken, user, caller, no 'headers'.",
  ],
  // A secret by a name of the caller's choice.
  ['{{ variables }}', 'unnamed-variable', 'Line 1, column 4: Name the variable: variables.name.'],
  ['{{ variables[request.query.name] }}', 'unnamed-variable', 'Line 1, column 4: Name the variable: variables.name.'],
  [
    '{% for v in variables %}{{ v }}{% endfor %}',
    'unnamed-variable',
    'Line 1, column 13: Name the variable: variables.name.',
  ],
])('the template %j is refused with line and column', async (text, code, detail) => {
  expect((await tenant.put(inBody(text))).body).toEqual(refused({ pointer: template, code, detail: saying(detail) }))
  expect((await tenant.get()).status).toBe(404)
})

test.each([
  ['steps.', 'invalid-expression', /^Line 1, column 7: Unexpected end of expression/],
  ['{\n  "a": 1,,\n}', 'invalid-expression', /^Line 2, column 10: /],
  ['request.body ~> function(', 'invalid-expression', /^Line 1, column \d+: /],
  ['variables.nope', 'unknown-variable', "Line 1, column 1: There is no variable 'nope'."],
  ['{\n "a": steps.after\n}', 'unknown-step', "Line 2, column 7: No step before this one is called 'after'."],
  [
    'request.body.items.($$.steps.here)',
    'unknown-step',
    "Line 1, column 24: No step before this one is called 'here'.",
  ],
  [
    '$map([1], function($x) { $x + steps.gone })',
    'unknown-step',
    "Line 1, column 31: No step before this one is called 'gone'.",
  ],
  ['requests.body', 'unknown-name', "Line 1, column 1: 'requests' is not known; use request, steps or variables."],
  ['variables.key', 'secret-shown', "Line 1, column 1: The secret 'key' would be shown to callers."],
])('the expression %j is refused with line and column', async (text, code, detail) => {
  expect((await tenant.put(inTransform(text))).body).toEqual(
    refused({ pointer: expression, code, detail: saying(detail) }),
  )
  expect((await tenant.get()).status).toBe(404)
})

const inRespond = (respond: object) => pipeline({ name: 'before', transform: { expression: '1' } }, { respond })

test.each([
  [{ rows: 'steps.gone.body' }, 'unknown-step', 'rows', "Line 1, column 1: No step before this one is called 'gone'."],
  [{ rows: 'steps.before', row: '{ "Id": id' }, 'invalid-expression', 'row', /^Line 1, column 11: /],
  [{ rows: 'steps.before', row: '$$.variables.key' }, 'secret-shown', 'row', /^Line 1, column 4: The secret 'key'/],
  [{ rows: 'steps.before', next: 'nextPage' }, 'unknown-name', 'next', /^Line 1, column 1: 'nextPage' is not known/],
])('the rows %j are refused with line and column', async (respond, code, member, detail) => {
  const pointer = `/glue/endpoints/0/steps/1/respond/${member}`
  expect((await tenant.put(inRespond(respond))).body).toEqual(refused({ pointer, code, detail: saying(detail) }))
})

test.each(['$$.steps.before & steps & variables.none', '{ "Id": id, "requested": request.none }'])(
  'the row %j, whose names are members of the row, is accepted',
  async row => {
    expect((await tenant.put(inRespond({ rows: 'steps.before.`@odata.value`', row }))).status).toBe(200)
  },
)

const saying = (detail: string | RegExp) => (typeof detail === 'string' ? detail : expect.stringMatching(detail))
const refused = (...errors: object[]) => problem(400, 'validation', tenant.path, { errors })

test.each([
  '{{ request.method }} {{ request.query.a }} {{ request.body.x[0].y }} {{ request.userToken }}',
  '{{ steps.before.body.x | default: variables.plain }} {{ steps["before"].status }}',
  '{{ variables.key }} {{ variables["plain"] }}',
  '{% assign x = request.body %}{% for i in x.items %}{{ i.variables }}{{ forloop.index }}{% endfor %}{{ x.y }}',
  '{% capture c %}a{% endcapture %}{{ c }}{% raw %}{{ nothing }}{% endraw %}{% comment %}{{ no }}{% endcomment %}',
  '{"a": {"b": "{{ request.body.c }}"}} { %',
])('the template %j is accepted', async text => {
  expect((await tenant.put(inBody(text))).status).toBe(200)
})

test.each([
  'steps.before.body.items.{"id": id, "steps": steps.x, "variables": variables.y}',
  'request.body.items[variables.none = 1]^(steps.none).request',
  '($steps := request.body; $steps.variables.x)',
  '$map(steps.before, function($v) { {"a": $v.steps.none} })',
  'request.body ~> |items|{"variables": variables.none}|',
  'variables.plain & $string(variables.*) & $lookup(variables, "plain")',
  '`request`.`body` or steps.before{variables.name: $sum(steps.n)}',
  '$',
])('the expression %j, whose names are members of other data, is accepted', async text => {
  expect((await tenant.put(inTransform(text))).status).toBe(200)
})

test('templates and expressions are checked wherever a manifest has them', async () => {
  const bad = '{{ nothing.here }}'
  const { body } = await tenant.put(
    withGlue({
      providers: [provider({ authentication: grant({ tokenUrl: bad, clientId: bad, scope: bad }) })],
      endpoints: [
        endpoint(
          [
            { httpRequest: { url: bad, headers: { 'X-A': bad }, query: { 'a/b': bad } } },
            { jwt: { algorithm: 'HS256', key: '{{ variables.nothing }}', claims: { sub: bad } } },
            { respond: { headers: { 'X-B': bad }, body: bad } },
          ],
          { authentication: [{ openIdConnect: { authority: bad, audiences: bad, scopes: bad } }] },
        ),
      ],
    }),
  )
  const grantAt = '/glue/providers/0/authentication'
  const at = '/glue/endpoints/0'
  expect(body).toMatchObject({
    errors: [
      ...['tokenUrl', 'clientId', 'scope'].map(name => ({ pointer: `${grantAt}/${name}`, code: 'unknown-name' })),
      ...['authority', 'audiences', 'scopes'].map(name => ({
        pointer: `${at}/authentication/0/openIdConnect/${name}`,
      })),
      ...['url', 'headers/X-A', 'query/a~1b'].map(name => ({ pointer: `${at}/steps/0/httpRequest/${name}` })),
      { pointer: `${at}/steps/1/jwt/key`, code: 'unknown-variable' },
      { pointer: `${at}/steps/1/jwt/claims/sub` },
      ...['headers/X-B', 'body'].map(name => ({ pointer: `${at}/steps/2/respond/${name}` })),
    ],
  })
})

test('a request cannot decide whom an endpoint trusts', async () => {
  const openIdConnect = { authority: 'https://{{ request.query.idp }}', audiences: 'a' }
  const { body } = await tenant.put(
    withGlue({ endpoints: [endpoint([{ respond: {} }], { authentication: [{ openIdConnect }] })] }),
  )
  const detail = "Line 1, column 12: 'request' is not available here, only variables are."
  const pointer = '/glue/endpoints/0/authentication/0/openIdConnect/authority'
  expect(body).toEqual(refused({ pointer, code: 'unknown-name', detail }))
})

test.each([
  { body: '{{ variables.key }}' },
  { headers: { 'X-Key': '{{ variables.key }}' } },
  { expression: '{"a": variables.key}' },
])('a secret that callers would see is refused: %j', async respond => {
  const { body } = await tenant.put(pipeline({ respond }))
  expect(body).toMatchObject({ errors: [{ code: 'secret-shown', detail: expect.stringContaining("secret 'key'") }] })
})
