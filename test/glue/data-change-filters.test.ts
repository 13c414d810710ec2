import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ChangeAnswer,
  changePaths,
  type DataTenant,
  dataTenant,
  scriptedGlue,
  scriptedProvider,
} from '../support/data-sets.js'

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
async function matched(filter: string): Promise<string[]> {
  const body = `{"SubjectIdentifier":"ada","DataExtractsOptionsValuesFilter":${filter}}`
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
