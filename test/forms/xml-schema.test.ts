// The XML schema of a form.
import { describe, expect, test } from 'vitest'
import { formSchema } from '../../server/forms/xml/xml-schema.js'
import { aSmallTemplate, aTemplate, formsTenant, someValues } from '../support/factories.js'
import { templateOf } from '../support/form-templates.js'
import { documentOf, inOneLine } from '../support/form-xml.js'
import { putForm } from '../support/forms.js'
import { problem } from '../support/http.js'
import { xmlFaults } from '../support/test-programs.js'

const tenant = await formsTenant()
const schemaPath = (key: string, version = 1) => `/api/v2.0/tenant/${tenant.tenantKey}/formschema/${key}/${version}`

/** The types that all forms have, as the specification and we name them. */
const commonTypes = `
  <xs:simpleType name="xf-empty"><xs:restriction base="xs:string"><xs:length value="0"/></xs:restriction></xs:simpleType>
  <xs:simpleType name="xf-string"><xs:restriction base="xs:string"><xs:maxLength value="10000"/></xs:restriction></xs:simpleType>
  <xs:simpleType name="xf-decimal"><xs:union memberTypes="xf-empty xs:decimal"/></xs:simpleType>
  <xs:simpleType name="xf-integer"><xs:union memberTypes="xf-empty xs:integer"/></xs:simpleType>
  <xs:simpleType name="xf-boolean"><xs:union memberTypes="xf-empty xs:boolean"/></xs:simpleType>
  <xs:simpleType name="xf-date"><xs:union memberTypes="xf-empty xs:date"/></xs:simpleType>
  <xs:simpleType name="xf-time"><xs:union memberTypes="xf-empty xs:time"/></xs:simpleType>
  <xs:simpleType name="xf-dateTime"><xs:union memberTypes="xf-empty xs:dateTime"/></xs:simpleType>
  <xs:simpleType name="xf-anyURI"><xs:union memberTypes="xf-empty"><xs:simpleType>
    <xs:restriction base="xs:string"><xs:pattern value="https?://.*"/></xs:restriction>
  </xs:simpleType></xs:union></xs:simpleType>
  <xs:simpleType name="xf-dataURL"><xs:union memberTypes="xf-empty"><xs:simpleType>
    <xs:restriction base="xs:string"><xs:pattern value="data:.*"/></xs:restriction>
  </xs:simpleType></xs:union></xs:simpleType>
  <xs:simpleType name="xf-dateKind"><xs:restriction base="xs:string">
    <xs:enumeration value="yyyy"/><xs:enumeration value="yyyy-MM"/><xs:enumeration value="yyyy-MM-dd"/>
  </xs:restriction></xs:simpleType>
  <xs:complexType name="xf-partialDate"><xs:simpleContent><xs:extension base="xf-date">
    <xs:attribute name="dateKind" type="xf-dateKind"/>
  </xs:extension></xs:simpleContent></xs:complexType>
  <xs:simpleType name="xf-latitude"><xs:restriction base="xs:decimal">
    <xs:minInclusive value="-90"/><xs:maxInclusive value="90"/>
  </xs:restriction></xs:simpleType>
  <xs:simpleType name="xf-longitude"><xs:restriction base="xs:decimal">
    <xs:minInclusive value="-180"/><xs:maxInclusive value="180"/>
  </xs:restriction></xs:simpleType>
  <xs:complexType name="xf-geolocation"><xs:sequence minOccurs="0">
    <xs:element name="latitude" type="xf-latitude"/><xs:element name="longitude" type="xf-longitude"/>
  </xs:sequence></xs:complexType>
  <xs:simpleType name="xf-percent"><xs:restriction base="xs:decimal">
    <xs:minInclusive value="0"/><xs:maxInclusive value="100"/>
  </xs:restriction></xs:simpleType>
  <xs:complexType name="xf-annotation"><xs:simpleContent><xs:extension base="xs:string">
    <xs:attribute name="position" type="xs:positiveInteger" use="required"/>
    <xs:attribute name="x" type="xf-percent" use="required"/>
    <xs:attribute name="y" type="xf-percent" use="required"/>
  </xs:extension></xs:simpleContent></xs:complexType>
  <xs:complexType name="xf-annotatedImage"><xs:sequence minOccurs="0">
    <xs:element name="imageDataUri" type="xf-dataURL"/>
    <xs:element name="annotation" type="xf-annotation" maxOccurs="unbounded"/>
  </xs:sequence></xs:complexType>
  <xs:complexType name="xf-translatableText"><xs:sequence minOccurs="0">
    <xs:element name="originalText" type="xs:string"/>
    <xs:element name="translatedText" type="xs:string" minOccurs="0"/>
    <xs:element name="sourceLanguageCode" type="xs:language"/>
    <xs:element name="targetLanguageCode" type="xs:language" minOccurs="0"/>
    <xs:element name="translatedDateTime" type="xs:dateTime" minOccurs="0"/>
  </xs:sequence></xs:complexType>`

test('the schema of a form has its types, its root, its building blocks, sections and controls in their order', async () => {
  const options = [
    { value: 1, label: 'One' },
    { value: 2, label: 'Two' },
  ]
  const controls = [
    { id: 'score', label: 'Score & co', dataType: 'integer', options, couldHaveMultipleValues: true },
    { id: 'depth', label: 'Depth', dataType: 'decimal', min: 0, relevant: { control: 'score', answered: true } },
    { id: 'note', label: 'Note', couldHaveValue: false, text: 'Only read' },
  ]
  const repeats = [
    { id: 'again', label: 'Again', maxIterations: 4, controls: [{ id: 'day', label: 'Day', dataType: 'date' }] },
  ]
  const sections = [{ id: 'only', title: 'The only one', controls, repeats }]
  await tenant.publish(aTemplate({ key: 'tiny', language: 'de', buildingBlocks: [{ key: 'block', sections }] }))
  const { status, headers, body } = await tenant.forms.get<string>(schemaPath('tiny'))
  expect([status, headers.get('content-type')]).toEqual([200, 'application/xml; charset=utf-8'])
  const named = (label: string) => `<xs:annotation><xs:documentation>${label}</xs:documentation></xs:annotation>`
  expect(inOneLine(body)).toBe(
    inOneLine(`<?xml version="1.0" encoding="UTF-8"?>
      <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xml:lang="de">
      ${commonTypes}
      <xs:simpleType name="options-score"><xs:union memberTypes="xf-empty"><xs:simpleType>
        <xs:restriction base="xs:string"><xs:enumeration value="1"/><xs:enumeration value="2"/></xs:restriction>
      </xs:simpleType></xs:union></xs:simpleType>
      <xs:element name="PatientForm">${named('Home visit (tiny, version 1)')}<xs:complexType>
        <xs:sequence>
          <xs:element name="preamble" minOccurs="0"><xs:complexType>
            <xs:attribute name="templateId" type="xs:string"/>
            <xs:attribute name="templateVersion" type="xs:positiveInteger"/>
            <xs:attribute name="instanceGuid" type="xs:string"/>
            <xs:attribute name="subjectIdentifier" type="xs:string"/>
            <xs:attribute name="status" type="xs:string"/>
            <xs:attribute name="createdByUserIdentifier" type="xs:string"/>
            <xs:attribute name="lastModifiedDateTime" type="xs:dateTime"/>
            <xs:attribute name="submittedByUserIdentifier" type="xs:string"/>
            <xs:attribute name="submissionDateTime" type="xs:dateTime"/>
            <xs:attribute name="correlationId" type="xs:string"/>
          </xs:complexType></xs:element>
          <xs:element name="context" minOccurs="0"><xs:complexType><xs:sequence>
            <xs:any processContents="skip" minOccurs="0" maxOccurs="unbounded"/>
          </xs:sequence></xs:complexType></xs:element>
          <xs:element name="block">${named('block')}<xs:complexType><xs:sequence>
            <xs:element name="only">${named('The only one')}<xs:complexType><xs:sequence>
              <xs:element name="score" maxOccurs="2">${named('Score &amp; co')}<xs:complexType><xs:simpleContent>
                <xs:extension base="options-score"><xs:attribute name="displayName" type="xs:string"/></xs:extension>
              </xs:simpleContent></xs:complexType></xs:element>
              <xs:element name="depth" minOccurs="0">${named('Depth')}<xs:simpleType><xs:union memberTypes="xf-empty">
                <xs:simpleType><xs:restriction base="xs:decimal"><xs:minInclusive value="0"/></xs:restriction></xs:simpleType>
              </xs:union></xs:simpleType></xs:element>
              <xs:element name="again" minOccurs="0" maxOccurs="4">${named('Again')}<xs:complexType><xs:sequence>
                <xs:element name="day" type="xf-date">${named('Day')}</xs:element>
              </xs:sequence></xs:complexType></xs:element>
            </xs:sequence></xs:complexType></xs:element>
          </xs:sequence></xs:complexType></xs:element>
        </xs:sequence>
        <xs:attribute name="token" type="xs:string"/>
        <xs:attribute name="transaction-id" type="xs:string"/>
      </xs:complexType></xs:element>
      </xs:schema>`),
  )
})

const template = templateOf(aTemplate())
const valid = documentOf(template, someValues, { token: 't', transactionId: '1', context: { ward: 'C1', '1': 'x' } })

describe('a document is checked by the schema that is served', async () => {
  await tenant.publish(aTemplate())
  const schema = (await tenant.forms.get<string>(schemaPath('visit'))).body
  const first = /<wound>.*?<\/wound>/s.exec(valid)?.[0] ?? ''
  const broken: [what: string, from: string, to: string, fault: string][] = [
    ['another root', 'PatientForm', 'Form', 'No matching global declaration'],
    [
      'an attribute of the root that it does not have',
      'token="t"',
      'tokens="t"',
      "The attribute 'tokens' is not allowed",
    ],
    ['a missing building block', valid.slice(valid.indexOf('<wounds>'), -14), '', 'Missing child element(s)'],
    ['an element that the form does not have', '<beats>', '<extra/><beats>', "'extra': This element is not expected"],
    ['a control that is missing', '<consent>true</consent>', '', "'consentNote': This element is not expected"],
    ['controls in another order', '<at>09:30:00</at>', '', "'seenAt': This element is not expected"],
    [
      'a second value of a single one',
      '<beats>72</beats>',
      '<beats>72</beats><beats/>',
      "'beats': This element is not",
    ],
    ['a text where a number stands', '>72<', '>many<', "'beats': 'many' is not a valid value"],
    ['a decimal where a whole number stands', '>72<', '>72.5<', "'beats': '72.5' is not a valid value"],
    ['more than the maximum', '>72<', '>301<', "'beats': '301' is not a valid value"],
    ['less than the minimum', '>71.50<', '>0.4<', "'weight': '0.4' is not a valid value"],
    ['no boolean', '>true<', '>yes<', "'consent': 'yes' is not a valid value"],
    ['no date', '>2026-11-02<', '>2026-02-30<', "'visited': '2026-02-30' is not a valid value"],
    ['no time', '>09:30:00<', '>25:30:00<', "'at': '25:30:00' is not a valid value"],
    ['no moment', '>2026-11-02T09:30:00.000Z<', '>today<', "'seenAt': 'today' is not a valid value"],
    ['no kind of date', 'dateKind="yyyy-MM"', 'dateKind="MM"', "attribute 'dateKind'"],
    ['a text that is too long', '>Slept well<', `>${'x'.repeat(2001)}<`, "'remarks':"],
    ['a text of another pattern', '>B12<', '>b12<', "'ward': 'b12' is not a valid value"],
    ['an option that there is not', '>pain<', '>itch<', "'symptoms': 'itch' is not a valid value"],
    ['more choices than options', '</symptoms><mob', '</symptoms><symptoms>pain</symptoms><mob', "'symptoms': This"],
    [
      'an own text where only options are',
      'Label of 1"',
      'Label of 1" otherValue="1"',
      "attribute 'otherValue' is not allowed",
    ],
    ['a latitude beyond the pole', '>48.2<', '>90.1<', "'latitude'"],
    ['a place that is half', '<longitude>16.37</longitude>', '', "'place': Missing child element(s)"],
    ['a pin beside the picture', 'x="25"', 'x="100.1"', "attribute 'x'"],
    ['a pin without a number', 'position="1" ', '', "attribute 'position' is required"],
    [
      'a picture without pins',
      '<annotation position="1" x="25" y="50">bruise</annotation>',
      '',
      "'image': Missing child",
    ],
    ['no web address', '>https://', '>ftp://', "'link':"],
    ['no file', '<photo>data:', '<photo>http:', "'photo':"],
    ['no language', '>de<', '>deutschland<', "'targetLanguageCode'"],
    ['more iterations than allowed', first, first.repeat(5), "'wound': This element is not expected"],
    ['an iteration without its controls', first, '<wound/>', "'wound': Missing child element(s)"],
    ['the context at another place', '</PatientForm>', '<context/></PatientForm>', "'context': This element is not"],
  ]
  const [wellMade, ...faults] = await xmlFaults(schema, [
    valid,
    ...broken.map(([, from, to]) => valid.replaceAll(from, to)),
  ])

  test('a document with values of every kind is valid; the schema is the one that documents are made by', () => {
    expect(wellMade).toBe('')
    expect(schema).toBe(formSchema(template))
  })

  test.each(broken.map((each, n) => [each[0], each[3], faults[n]]))('%s is not valid', (_, fault, found) => {
    expect(found).not.toBe('')
    expect(found).toContain(fault)
  })
})

test('other texts than the options are valid only where they are allowed, and patterns that mean something else are left out', async () => {
  const options = [{ value: 'a', label: 'A' }]
  const controls = [
    { id: 'open', label: 'Open', options, allowOther: true },
    { id: 'word', label: 'Word', pattern: '\\w+' },
    { id: 'pair', label: 'Pair', pattern: '(ab|cd)\\d{1,2}' },
  ]
  const form = templateOf(aSmallTemplate(controls))
  const schema = formSchema(form)
  expect(schema.match(/<xs:pattern value="[^"]*"/g)?.slice(2)).toEqual(['<xs:pattern value="(ab|cd)\\d{1,2}"'])
  const given = { open: 'something else', word: 'a_b', pair: 'cd12' }
  const document = documentOf(form, given)
  expect(await xmlFaults(schema, [document, document.replace('cd12', 'cd')])).toEqual([
    '',
    expect.stringContaining("'pair': 'cd' is not a valid value"),
  ])
})

test.each(['context', 'preamble'])(
  'a building block cannot be called %s, which is the name of another element',
  async key => {
    const sections = [{ id: 'only', controls: [{ id: 'note', label: 'Note' }] }]
    const body = aTemplate({ key: 'taken', buildingBlocks: [{ key, sections }] })
    const errors = [{ pointer: '/buildingBlocks/0/key', code: 'reserved-id', detail: expect.any(String) }]
    const path = `/admin/v1/tenants/${tenant.tenantKey}/forms/taken/1`
    expect((await putForm(tenant.platform, tenant.tenantKey, body)).body).toEqual(
      problem(400, 'validation', path, { errors }),
    )
  },
)
