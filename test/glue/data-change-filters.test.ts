// Filters of data changes.
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type ChangeAnswer, changePaths, gate, rowsPath, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { type DataTenant, dataTenant } from '../support/factories.js'

const provider = await scriptedProvider()
let tenant: DataTenant
/** As JSON, because a literal with `__proto__` would set something else. */
const options = JSON.parse(`{
  "number": 1, "text": "1", "yes": true, "nothing": null, "empty": "", "none": {}, "zero": 0, "decimal": 0.1, "big": 12345678901234567890,
  "name": [{"child": "first", "list": [[1, 2], [3]]}, {"child": "second"}],
  "nested": {"deep": {"er": "Text"}},
  "odd key!": 1, "ünïcode": "é", "a/b~c": 1, "0": "zero", "length": "own", "quote\\"d": 1, "Case": "Upper",
  "__proto__": {"polluted": 1}, "constructor": {"name": "mine"}
}`)
beforeAll(async () => {
  provider.says(() => ({ dataPoints: [] }))
  const extracts = { whole: options, bare: { number: 1 } }
  tenant = await dataTenant(scriptedGlue(provider.url, { by: ['subject'], extracts }), ['ada'])
})
afterAll(() => provider.stop())

/** Which extracts match a filter, given as JSON. */
async function matched(filter: string, more = ''): Promise<string[]> {
  const body = `{"SubjectIdentifier":"ada","DataExtractsOptionsValuesFilter":${filter}${more}}`
  const reply = await tenant.provider.post<ChangeAnswer>(changePaths.created, body)
  expect(reply.status).toBe(200)
  expect(reply.body.Status).toBe(reply.body.MatchedDataExtracts.length > 0 ? 'Refreshing' : 'NothingMatched')
  return reply.body.MatchedDataExtracts
}

test.each([
  '{"number":1.0,"text":"1"}',
  '{"text":"1"}',
  '{"yes":true}',
  '{"nothing":null}',
  '{"empty":""}',
  '{"none":{}}',
  '{"zero":0}',
  '{"decimal":1e-1}',
  '{"big":12345678901234567890}',
  '{"name[0].child":"first"}',
  '{"name[1].child":"second","name[0].child":"first"}',
  '{"name[0].list[0][1]":2}',
  '{"name[0].list[1]":[3]}',
  '{"name[1]":{"child":"second"}}',
  '{"name[0].list":[[1,2],[3]]}',
  '{"name[00].child":"first"}',
  '{"nested":{"deep":{"er":"Text"}}}',
  '{"nested.deep.er":"Text"}',
  '{"odd key!":1}',
  '{"ünïcode":"é"}',
  '{"a/b~c":1}',
  '{"0":"zero"}',
  '{"length":"own"}',
  '{"quote\\"d":1}',
  '{"__proto__.polluted":1}',
  '{"constructor.name":"mine"}',
])('%s matches', async filter => {
  expect(await matched(filter)).toEqual(['whole'])
})

test.each([
  '{"number":"1"}',
  '{"number":true}',
  '{"number":[1]}',
  '{"text":1}',
  '{"yes":"true"}',
  '{"yes":1}',
  '{"nothing":""}',
  '{"nothing":"null"}',
  '{"missing":null}',
  '{"empty":null}',
  '{"none":[]}',
  '{"zero":false}',
  '{"name[2].child":"first"}',
  '{"name.child":"first"}',
  '{"name.0.child":"first"}',
  '{"name.length":2}',
  '{"text.length":1}',
  '{"text[0]":"1"}',
  '{"none[0]":null}',
  '{"name[0]":{"child":"first"}}',
  '{"name[0].list[0]":[2,1]}',
  '{"nested.deep.er":"text"}',
  '{"nested":{"deep":{"er":"Text","more":1}}}',
  '{"case":"Upper"}',
  '{"ünïcode":"e\u0301"}',
  '{"name[0].child":"first","name[1].child":"first"}',
  '{"number":1,"text":"2"}',
  '{"nested.constructor.name":"Object"}',
  '{"nested.__proto__":{}}',
  '{"toString":{}}',
  '{"nested.deep.er.more":"Text"}',
])('%s matches nothing', async filter => {
  expect(await matched(filter)).toEqual([])
})

const point = (value: string, type = 'Decimal') =>
  `{"Id":"a","SubjectIdentifier":"ada","DataPointItems":[{"Key":"k","Value":{"DataType":"${type}","Value":${value}}}]}`
const pushed = (...values: [value: string, type?: string][]) =>
  `,"NewOrUpdatedDataPoints":[${values.map(([value, type]) => point(value, type)).join()}]`

test.each([
  '{"number":1}',
  '{"number":1.0}',
  '{"number":1e0}',
  '{"number":10E-1}',
  '{"decimal":0.10}',
  '{"zero":-0}',
  '{"zero":0.0}',
  '{"big":12345678901234567890}',
  '{"name[0].list":[[1.0,2],[3]]}',
  '{"name[0].list[0]":[1,20e-1]}',
])('%s matches whatever else the body holds', async filter => {
  expect(await matched(filter)).toContain('whole')
  expect(await matched(filter, pushed(['77.50']))).toContain('whole')
  expect(await matched(filter, pushed(['"decimal"', 'values']))).toContain('whole')
})

test.each(['{"number":"1.0"}', '{"text":1.0}', '{"number":1.5}', '{"name[0].list[0]":[1.0,2.5]}'])(
  '%s matches nothing, whatever else the body holds',
  async filter => expect(await matched(filter, pushed(['77.50']))).toEqual([]),
)

test('pushed numbers stay numbers and keep their digits', async () => {
  const values: [string, string][] = [
    ['77.50', 'Decimal'],
    ['0.1234567890123456789', 'Decimal'],
    ['-0.0', 'Decimal'],
    ['12345678901234567890', 'Integer'],
    ['77.50', 'Money'],
    ['[{"amount":77.50,"of":1}]', 'Prices'],
    ['"77.50"', 'String'],
    ['77.5', 'Decimal'],
  ]
  const items = values.map(([value, type], n) => `{"Key":"k${n}","Value":{"DataType":"${type}","Value":${value}}}`)
  const row = `{"Id":"digits","SubjectIdentifier":"ada","DataPointItems":[${items.join()}]}`
  const door = gate()
  provider.says(async () => {
    await door.passed
    return { dataPoints: [] }
  })
  expect(await matched('{"number":1.0,"yes":true}', `,"NewOrUpdatedDataPoints":[${row}]`)).toEqual(['whole'])
  const url = new URL(rowsPath('whole'), inject('baseUrl'))
  const answer = await fetch(url, { headers: { authorization: `Bearer ${tenant.token}` } })
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await answer.text()).toContain(`"DataPointItems":[${items.join()}]`)
  door.open()
})

test('an entry that several data sets have matches them all', async () => {
  expect(await matched('{"number":1}')).toEqual(['whole', 'bare'])
})

test('explain shows for each data set which entries match, and what is there instead', async () => {
  const body = { SubjectIdentifier: 'ada', DataExtractsOptionsValuesFilter: { number: 1, 'nested.deep.er': 'other' } }
  const { body: answer } = await tenant.provider.post<ChangeAnswer>(`${changePaths.removed}?explain=true`, body)
  expect(answer).toMatchObject({ Status: 'NothingMatched', MatchedDataExtracts: [] })
  expect(answer.Explanation).toEqual([
    {
      DataExtract: 'whole',
      Matches: false,
      Entries: [
        { Path: 'number', Matches: true, Found: 1 },
        { Path: 'nested.deep.er', Matches: false, Found: 'Text' },
      ],
    },
    {
      DataExtract: 'bare',
      Matches: false,
      Entries: [
        { Path: 'number', Matches: true, Found: 1 },
        { Path: 'nested.deep.er', Matches: false },
      ],
    },
  ])
  const plain = await tenant.provider.post<ChangeAnswer>(changePaths.removed, body)
  expect(plain.body).not.toHaveProperty('Explanation')
  const one = { SubjectIdentifier: 'ada', DataExtractsOptionsValuesFilter: { yes: true } }
  const found = await tenant.provider.post<ChangeAnswer>(`${changePaths.created}?Explain=true`, one)
  expect(found.body).toMatchObject({
    MatchedDataExtracts: ['whole'],
    Explanation: [{ Matches: true }, { Matches: false }],
  })
})
