// The XML of a form.
import { DOMParser } from '@xmldom/xmldom'
import { describe, expect, test } from 'vitest'
import { imageWithPins } from '../../forms/annotated-image.js'
import { controlsOf } from '../../forms/template.js'
import { patientForm } from '../../server/forms/xml/xml.js'
import { aPicture, aSmallTemplate, aTemplate, someValues } from '../support/factories.js'
import { templateOf } from '../support/form-templates.js'
import { documentOf, inOneLine } from '../support/form-xml.js'

const visit = templateOf(aTemplate())
const small = (controls: object[]) => templateOf(aSmallTemplate(controls))
const declaration = '<?xml version="1.0" encoding="UTF-8"?>'
const preamble = '<preamble templateId="visit" templateVersion="1"/>'
/** The document of a small form without what is the same in all of them. */
const inside = (document: string) => /<only>(.*)<\/only>/s.exec(document)?.[1]

test('a form with values of every kind is a document of blocks, sections, controls, and iterations of repeats', () => {
  const image = controlsOf(visit).get('image')?.control
  const pins = image ? imageWithPins(image, [{ position: 1, x: 25, y: 50, value: 'bruise' }]) : ''
  expect(documentOf(visit, someValues, { token: 'a token', transactionId: '0b2c' })).toBe(
    inOneLine(`${declaration}
      <PatientForm token="a token" transaction-id="0b2c">
        <preamble templateId="visit" templateVersion="1"/>
        <visit>
          <general>
            <visited>2026-11-02</visited>
            <onset dateKind="yyyy-MM">2026-10-01</onset>
            <at>09:30:00</at>
            <seenAt>2026-11-02T09:30:00.000Z</seenAt>
            <weight>71.50</weight>
            <beats>72</beats>
            <consent>true</consent>
            <consentNote>The daughter</consentNote>
            <remarks>Slept well</remarks>
            <ward>B12</ward>
            <symptoms displayName="Label of pain">pain</symptoms>
            <symptoms displayName="Label of fever">fever</symptoms>
            <mobility displayName="with a stick" otherValue="with a stick">with a stick</mobility>
          </general>
          <more>
            <place><latitude>48.2</latitude><longitude>16.37</longitude></place>
            <image>
              <imageDataUri>${pins}</imageDataUri>
              <annotation position="1" x="25" y="50">bruise</annotation>
            </image>
            <letter>&lt;p&gt;Dear &lt;b&gt;colleague&lt;/b&gt;&lt;/p&gt;</letter>
            <photo>${aPicture}</photo>
            <link>https://example.org/a?b=c&amp;d=e</link>
            <story>
              <originalText>It began in October.</originalText>
              <sourceLanguageCode>en</sourceLanguageCode>
              <targetLanguageCode>de</targetLanguageCode>
            </story>
          </more>
          <score>
            <sleep displayName="Label of 1">1</sleep>
            <energy displayName="Label of 2">2</energy>
            <total>3</total>
            <severity>severe</severity>
          </score>
        </visit>
        <wounds>
          <woundList>
            <wound>
              <site>left heel</site>
              <depth>12.5</depth>
              <deep>Long untreated</deep>
              <dressing><material displayName="Label of foam">foam</material><changed>2026-11-01</changed></dressing>
              <dressing><material displayName="Label of gauze">gauze</material><changed/></dressing>
            </wound>
            <wound><site>hip</site><depth/></wound>
          </woundList>
        </wounds>
      </PatientForm>`),
  )
})

test('a relevant control without an answer is an empty element; controls that are irrelevant or only read are absent', () => {
  const nothing = inOneLine(`${declaration}
    <PatientForm>
      <preamble templateId="visit" templateVersion="1"/>
      <visit>
        <general>
          <visited/><onset/><at/><seenAt/><weight/><beats/><consent/><remarks/><ward/><symptoms/><mobility/>
        </general>
        <more><place/><image/><letter/><photo/><link/><story/></more>
        <score><sleep/><energy/><total/><severity/></score>
      </visit>
      <wounds><woundList/></wounds>
    </PatientForm>`)
  expect(patientForm(visit, {})).toBe(nothing)
  expect(documentOf(visit, { visited: '2026-11-02' })).toBe(
    nothing.replace('<visited/>', '<visited>2026-11-02</visited>'),
  )
})

test('a section that is not relevant is absent, and so is each repeat without iterations', () => {
  const form = templateOf(
    aTemplate({
      buildingBlocks: [
        {
          key: 'block',
          sections: [
            { id: 'first', controls: [{ id: 'asked', label: 'Asked', dataType: 'boolean' }] },
            {
              id: 'second',
              relevant: { control: 'asked', equals: true },
              controls: [{ id: 'told', label: 'Told' }],
              repeats: [{ id: 'more', label: 'More', controls: [{ id: 'what', label: 'What' }] }],
            },
          ],
        },
      ],
    }),
  )
  const around = (content: string) => `${declaration}<PatientForm>${preamble}<block>${content}</block></PatientForm>`
  expect(documentOf(form, { asked: false, told: 'x' })).toBe(around('<first><asked>false</asked></first>'))
  expect(documentOf(form, { asked: true })).toBe(around('<first><asked>true</asked></first><second><told/></second>'))
})

test('an iteration without any relevant control keeps its place', () => {
  const relevant = { control: 'kind', equals: 'b' }
  const controls = [
    { id: 'kind', label: 'Kind', relevant: { context: 'kinds', equals: 'yes' } },
    { id: 'what', label: 'What', relevant },
  ]
  const form = templateOf(
    aTemplate({
      buildingBlocks: [{ key: 'b', sections: [{ id: 's', repeats: [{ id: 'r', label: 'R', controls }] }] }],
    }),
  )
  const values = { what: [{ repeatIterationIndex: 1, type: 'single-value' as const, value: 'second' }] }
  expect(patientForm(form, values)).toBe(
    `${declaration}<PatientForm>${preamble}<b><s><r/><r><what>second</what></r></s></b></PatientForm>`,
  )
})

describe('whatever a text is', () => {
  const form = small([
    { id: 'text', label: 'Text' },
    { id: 'choice', label: 'Choice', options: [{ value: 'a', label: 'A' }], allowOther: true },
  ])
  const texts = [
    '<script>alert(1)</script>',
    '</text></only>',
    '&amp;lt; &nbsp; &#65; &#0; &foo;',
    ']]> <![CDATA[ <!-- --> <?x ?>',
    `"double" 'single'`,
    'one\r\ntwo\rthree\nfour\tfive',
    '  blanks  ',
    'other\u0085breaks\u2028of\u2029lines',
    '😀 \u{10ffff} é e\u0301',
  ]

  const written = (value: string) =>
    patientForm(form, {
      text: [{ repeatIterationIndex: null, type: 'single-value', value }],
      choice: [{ repeatIterationIndex: null, type: 'single-selection', value, displayName: value }],
    })

  test.each(texts)('a reader of the document finds it again: %j', text => {
    const document = new DOMParser().parseFromString(written(text), 'text/xml')
    const [read] = document.getElementsByTagName('text')
    const [choice] = document.getElementsByTagName('choice')
    expect([read?.textContent, choice?.textContent, choice?.getAttribute('otherValue')]).toEqual([text, text, text])
  })

  test('characters that an XML reader would change or refuse are written as references', () => {
    const inText = '>a\t"&#xD;\n&amp;nbsp; &lt; &gt;</'
    const inAttribute = '="a&#x9;&quot;&#xD;&#xA;&amp;nbsp; &lt; >"'
    expect(inside(written('a\t"\r\n&nbsp; < >'))).toBe(
      `<text${inText}text><choice displayName${inAttribute} otherValue${inAttribute}${inText}choice>`,
    )
  })
})

test('numbers of places and pins have no exponent', () => {
  const form = small([{ id: 'place', label: 'Place', dataType: 'geolocation' }])
  const place = { latitude: '0.0000001', longitude: '-0.0000001' }
  expect(inside(documentOf(form, { place }))).toBe(
    '<place><latitude>0.0000001</latitude><longitude>-0.0000001</longitude></place>',
  )
})

test('the context comes after the preamble: by key, or as a value with its key where the key is no name of an element', () => {
  const form = small([{ id: 'text', label: 'Text' }])
  const context = {
    ward: 'B & C',
    'size-1.b': '<x>',
    größe: 'a letter that some parsers refuse',
    '1st': 'digit',
    'two words': 'blank',
    'a:b': 'colon',
    '': 'empty',
    xmlThing: 'kept for XML',
    XML: 'kept too',
    µ: 'no letter of names',
    value: 'a name',
    'illegal\u0000"key': 'illegal \u0001\ud800 value\udfff',
  }
  expect(documentOf(form, {}, { context })).toBe(
    inOneLine(`${declaration}
      <PatientForm>
        <preamble templateId="small" templateVersion="1"/>
        <context>
          <ward>B &amp; C</ward>
          <size-1.b>&lt;x&gt;</size-1.b>
          <value key="größe">a letter that some parsers refuse</value>
          <value key="1st">digit</value>
          <value key="two words">blank</value>
          <value key="a:b">colon</value>
          <value key="">empty</value>
          <value key="xmlThing">kept for XML</value>
          <value key="XML">kept too</value>
          <value key="µ">no letter of names</value>
          <value>a name</value>
          <value key="illegal\ufffd&quot;key">illegal \ufffd\ufffd value\ufffd</value>
        </context>
        <small><only><text/></only></small>
      </PatientForm>`),
  )
  expect(documentOf(form, {}, { context: {} })).not.toContain('context')
})

test('the preamble says of which form a document is, and of an instance who filled it in for whom and when', () => {
  const form = small([{ id: 'text', label: 'Text' }])
  const instance = {
    instanceGuid: '01a2021e-2bc6-75d6-96df-5e3584818c80',
    status: 'Complete',
    submittedByUserIdentifier: 'ada "A" <okafor>',
    submissionDateTime: '2026-11-02T09:41:07.312Z',
    correlationId: null,
  }
  expect(documentOf(form, {}, { instance })).toContain(
    '<preamble templateId="small" templateVersion="1" instanceGuid="01a2021e-2bc6-75d6-96df-5e3584818c80" status="Complete" ' +
      'submittedByUserIdentifier="ada &quot;A&quot; &lt;okafor>" submissionDateTime="2026-11-02T09:41:07.312Z"/><small>',
  )
})
