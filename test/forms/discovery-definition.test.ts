// Definitions of forms.
import { expect, test } from 'vitest'
import { aTemplate, formsTenant } from '../support/factories.js'

const flags = {
  allowAmend: false,
  allowSaveDraft: false,
  autoSaveIntervalSeconds: 45,
  allowDiscard: false,
  allowRevoke: false,
}

test('the definition of a form says what it is made of, and where its values stand in the XML', async () => {
  const tenant = await formsTenant()
  await tenant.publish(aTemplate({ ...flags, classification: 'Plans' }))
  const { status, body } = await tenant.forms.get(`/api/v2.0/tenant/${tenant.tenantKey}/formdefinition/visit/1`)
  const control = (at: string, dataType: string, label: string, more: object = {}) => ({
    id: at.split('/').at(-1),
    xPath: `/PatientForm/${at}`,
    dataType,
    label,
    hint: '',
    couldHaveValue: true,
    couldHaveMultipleValues: false,
    displayNameXPath: null,
    otherValueXPath: null,
    ...more,
  })
  const choice = (at: string, dataType: string, label: string, more: object = {}) =>
    control(at, dataType, label, { displayNameXPath: `/PatientForm/${at}/@displayName`, ...more })
  const section = (at: string, controls: object[], repeats: object[] = []) => ({
    id: at.split('/').at(-1),
    xPath: `/PatientForm/${at}`,
    controls,
    repeats,
  })
  const [general, more, score, list] = ['visit/general', 'visit/more', 'visit/score', 'wounds/woundList']
  const dressing = {
    ...section(`${list}/wound/dressing`, [
      choice(`${list}/wound/dressing/material`, 'string', 'Material'),
      control(`${list}/wound/dressing/changed`, 'date', 'Changed'),
    ]),
    label: 'Dressing',
    minIterations: 0,
    maxIterations: null,
  }
  const wound = {
    ...section(
      `${list}/wound`,
      [
        control(`${list}/wound/site`, 'string', 'Site'),
        control(`${list}/wound/depth`, 'decimal', 'Depth'),
        control(`${list}/wound/deep`, 'string', 'Why so deep'),
      ],
      [dressing],
    ),
    label: 'Wound',
    minIterations: 0,
    maxIterations: 5,
  }
  expect(status).toBe(200)
  expect(body).toEqual({
    key: 'visit',
    version: 1,
    title: 'Home visit',
    allowAmend: false,
    classification: 'Plans',
    allowSaveDraft: false,
    autoSaveInteval: 45,
    allowDiscard: false,
    allowRevoke: false,
    buildingBlocks: [
      {
        key: 'visit',
        version: 1,
        xPath: '/PatientForm/visit',
        sections: [
          section(general, [
            control(`${general}/preamble`, 'string', 'Before you begin', { couldHaveValue: false }),
            control(`${general}/visited`, 'date', 'Day of the visit'),
            control(`${general}/onset`, 'date', 'First symptoms'),
            control(`${general}/at`, 'time', 'Time of day'),
            control(`${general}/seenAt`, 'datetime', 'Seen at'),
            control(`${general}/weight`, 'decimal', 'Weight'),
            control(`${general}/beats`, 'integer', 'Pulse', { hint: 'Beats per minute.' }),
            control(`${general}/consent`, 'boolean', 'Consent'),
            control(`${general}/consentNote`, 'string', 'Who consents'),
            control(`${general}/remarks`, 'string', 'Remarks'),
            control(`${general}/ward`, 'string', 'Ward'),
            choice(`${general}/symptoms`, 'string', 'Symptoms', { couldHaveMultipleValues: true }),
            choice(`${general}/mobility`, 'string', 'Mobility', {
              otherValueXPath: `/PatientForm/${general}/mobility/@otherValue`,
            }),
          ]),
          section(more, [
            control(`${more}/place`, 'geolocation', 'Place'),
            control(`${more}/image`, 'annotated-image', 'Where it hurts'),
            control(`${more}/letter`, 'html', 'Letter'),
            control(`${more}/photo`, 'data-url', 'Photo'),
            control(`${more}/link`, 'url', 'Link'),
            control(`${more}/story`, 'translatable-text-value', 'Story'),
          ]),
          section(score, [
            choice(`${score}/sleep`, 'integer', 'Sleeps badly'),
            choice(`${score}/energy`, 'integer', 'Has little energy'),
            control(`${score}/total`, 'integer', 'Total'),
            control(`${score}/severity`, 'string', 'Severity'),
          ]),
        ],
      },
      { key: 'wounds', version: 1, xPath: '/PatientForm/wounds', sections: [section(list, [], [wound])] },
    ],
  })
})
