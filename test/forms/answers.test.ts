// Answers of the forms API against its description.
import { expect, test } from 'vitest'
import { auditForPlatform, toldOf } from '../support/audit.js'
import { extractPath, instanceExtractPath } from '../support/extracts.js'
import { aTemplate, blockAsked, formAsked, formsTenant, someValues } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { formPath } from '../support/forms.js'
import { aRequest, createPath, type InstanceBody } from '../support/instances.js'
import { publishedAnswers } from '../support/published-answers.js'
import { exampleRecorder } from '../support/recorded-examples.js'

// One call per endpoint and answer, in an order in which each finds what it needs; every body against the published schema.

const exported = { key: 'warehouse', every: 86_400, destination: 'directory', definitions: [formAsked('visit')] }
const tenant = await formsTenant({ exports: [exported] })

test('every answer about forms is as it is published', async () => {
  const { forms, platform, tenantKey, subjectId } = tenant
  const recorder = exampleRecorder('forms')
  const isOfForms = (tag: string) => /^(Form (templates|instances)|Extracts)$/.test(tag)
  const { call, untouched, requests } = await publishedAnswers(forms, isOfForms, recorder)

  const form = aTemplate()
  const templates = `/admin/v1/tenants/${tenantKey}/forms`
  await call(platform, 'putForm', 201, 'PUT', formPath(tenantKey, form), form)
  await call(platform, 'putForm', 200, 'PUT', formPath(tenantKey, form), form)
  await call(platform, 'listFormVersions', 200, 'GET', templates)
  await call(platform, 'getForm', 200, 'GET', formPath(tenantKey, form))
  await call(forms, 'listCreatableForms', 200, 'GET', '/api/clinicianforms/availableForms')
  await call(forms, 'listPublishedForms', 200, 'GET', '/api/clinicianforms/allAvailableForms')
  await call(forms, 'getFormDefinition', 200, 'GET', `/api/v2.0/tenant/${tenantKey}/formdefinition/visit/1`)
  await call(forms, 'getFormSchema', 200, 'GET', `/api/v2.0/tenant/${tenantKey}/formschema/visit/1`)

  const request = aRequest(subjectId, { formKey: 'visit', instanceContext: { ward: 'B12' }, correlationId: 'c' })
  const { body } = await call<InstanceBody>(forms, 'createFormInstance', 200, 'POST', createPath, request)
  const patient = `/api/patientforms/${subjectId}`
  const instance = `${patient}/instance/${body.instanceGuid}`
  const values = { values: someValues }
  const seen = { 'If-Match': '*' }
  await call(forms, 'saveFormDraft', 200, 'PUT', `${instance}/draft`, values)
  await call(forms, 'submitForm', 200, 'POST', `${instance}/submit`, values, seen)
  await call(forms, 'getFormInstance', 200, 'GET', instance)

  const definitions = [formAsked('visit'), blockAsked('wounds')]
  await call(forms, 'getFormExtractDefinition', 200, 'GET', `${extractPath}/formdefinition/visit/1`)
  await call(forms, 'getBuildingBlockExtractDefinition', 200, 'GET', `${extractPath}/buildingblockdefinition/wounds/1`)
  await call(forms, 'runExtract', 200, 'POST', extractPath, { definitions })
  await call(forms, 'runExtract', 400, 'POST', extractPath, { definitions: [] })
  const later = { prefer: 'respond-async' }
  const { jobId } = (await call<JobBody>(forms, 'runExtract', 202, 'POST', extractPath, { definitions }, later)).body
  await ended(forms, jobId)
  await call(forms, 'pauseFormExport', 204, 'POST', '/api/v1/formExport/warehouse/pause')
  await call(forms, 'listFormExports', 200, 'GET', '/api/v1/formExport')
  await call(forms, 'resumeFormExport', 204, 'POST', '/api/v1/formExport/warehouse/resume')
  await call(forms, 'getJobResult', 200, 'GET', `/api/v1/jobs/${jobId}/result`)
  const lines = { Accept: 'application/x-ndjson' }
  expect(
    (await call(forms, 'getJobResult', 200, 'GET', `/api/v1/jobs/${jobId}/result`, undefined, lines)).body,
  ).toMatch(/^\{/)
  await call(forms, 'getJobResult', 404, 'GET', '/api/v1/jobs/none/result')
  const extract = instanceExtractPath(subjectId, body.instanceGuid)
  await call(forms, 'extractInstance', 200, 'GET', extract)
  await call(forms, 'extractFromInstance', 200, 'POST', extract, { definitions: [{ key: 'visit' }] })

  await call(forms, 'amendForm', 200, 'POST', `${instance}/amend`)
  await call(forms, 'discardFormDraft', 200, 'DELETE', `${instance}/draft`, undefined, seen)
  await call(forms, 'withdrawFormInstance', 200, 'DELETE', `${instance}/withdraw`, { reason: 'wrong patient' })
  await call(forms, 'reinstateFormInstance', 200, 'PATCH', `${instance}/reinstate`, { reason: 'it was right' })
  const history = `${patient}/history/${body.instanceGuid}`
  await call(forms, 'getFormInstanceHistory', 200, 'GET', history)
  await call(forms, 'getFormInstanceHistory', 404, 'GET', `${patient}/history/${crypto.randomUUID()}`)
  await call(forms, 'listFormInstances', 200, 'GET', `/api/patientforms?instanceGuid=${body.instanceGuid}`)
  await call(forms, 'listPatientForms', 200, 'GET', patient)
  await call(forms, 'listSubjectForms', 200, 'GET', `/api/v2.0/tenant/${tenantKey}/subject/${subjectId}/forms`)
  const { body: passing } = await call<InstanceBody>(forms, 'createFormInstance', 200, 'POST', createPath, {
    ...request,
    instanceIdentifier: 'passing',
  })
  await call(forms, 'discardFormDraft', 204, 'DELETE', `${patient}/instance/${passing.instanceGuid}/draft`)

  const events = await auditForPlatform(tenantKey)
  expect(toldOf(events, requests)).toEqual({ untold: ['extractFromInstance'], toldWrongly: [] })
  expect([...untouched], 'described answers that no call here shows').toEqual([])
  await recorder.finish(tenantKey)
})
