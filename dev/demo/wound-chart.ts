// Demo: takes a form instance through all of its states.
import type { Answer, Client, components } from '../../client/index.js'
import { nationalIdOf } from '../national-ids.js'
import { DemoError } from './client.js'

type Written = Answer<components['schemas']['WrittenFormInstance']>

const nationalId = nationalIdOf(0)

/**
 * Creates, saves, submits, amends, withdraws and reinstates a wound chart of one person. A second run amends the same chart.
 * @param forms a client with the scope FormsApi.
 * @param frame a client with the scope FrameApi, to find the person.
 */
export async function syncWoundChart(forms: Client, frame: Client): Promise<void> {
  const body = { customFieldValueFilter: { values: { nationalId: [nationalId] } } }
  const { Edges } = (await frame.post('/api/v2/subject/query', { body })).data
  const patient = Edges[0]?.Node.Id
  if (patient === undefined) throw new DemoError(`There is no ${nationalId}.`, [], 'Run the whole demo.')
  console.log(`A wound chart of ${nationalId}: two wounds, of which the first has two dressings.`)

  const chart = {
    patientIdentifier: patient,
    instanceIdentifier: `wound-chart-${nationalId}`,
    formKey: 'wound-chart',
    formVersion: 2,
    instanceContext: { clinician: 'Ada Okafor' },
  }
  const created = await forms.post('/api/clinicianforms/create', { body: chart, isRepeatable: true })
  const { instanceGuid, status, isAmendable } = created.data
  const path = '/api/patientforms/{patientId}/instance/{instanceGuid}'
  const at = { patientId: patient, instanceGuid }
  const say = (what: string, text: string) => console.log(`  ${what.padEnd(12)}${text}`)
  let seen: Written = created
  /** Takes a step with the ETag of the previous one, so it is refused if somebody else has changed the chart in between. */
  const step = async (what: string, send: (params: StepParams) => Promise<Written>) => {
    seen = await send({ path: at, header: { 'If-Match': seen.response.headers.get('etag') ?? '' } })
    say(what, seen.data.status)
  }
  const amend = () => step('amended', params => forms.post(`${path}/amend`, { params }))
  const submit = (length: number) =>
    step('submitted', params => forms.post(`${path}/submit`, { params, body: { values: measured(length) } }))
  const reinstate = async () => {
    const reason = 'It is not: the name was misread.'
    await forms.patch(`${path}/reinstate`, { params: { path: at }, body: { reason } })
    say('reinstated', reason)
  }

  say(status === 'New' ? 'created' : 'found', status)
  if (status === 'Complete') {
    // The previous run was interrupted while the chart was withdrawn.
    if (!isAmendable) {
      await reinstate()
      seen = await forms.post('/api/clinicianforms/create', { body: chart, isRepeatable: true })
    }
    await amend()
  }
  await step('saved', params => forms.put(`${path}/draft`, { params, body: { values: measured(24) } }))
  await submit(24)
  await amend()
  await submit(21)
  const reason = 'It is of another person.'
  await forms.delete(`${path}/withdraw`, { params: { path: at }, body: { reason } })
  say('withdrawn', reason)
  await reinstate()

  await printHistory(forms, at)
  console.log(`\nView      ${forms.url(seen.data.viewLink)}`)
  console.log('          A browser needs a token for it, see docs/forms.md; curl sends one in its header.')
}

interface Place {
  patientId: string
  instanceGuid: string
}

interface StepParams {
  path: Place
  header: { 'If-Match': string }
}

async function printHistory(forms: Client, path: Place): Promise<void> {
  const address = '/api/patientforms/{patientId}/history/{instanceGuid}'
  const { compositeInstanceHistory, withdrawalHistory } = (await forms.get(address, { params: { path } })).data
  console.log('\nIts history')
  const lines = [
    ...compositeInstanceHistory.map(({ createdDateTimeUtc, status, createdByUserIdentifier, isEditMilestone }) => [
      createdDateTimeUtc,
      `${status.padEnd(12)}${createdByUserIdentifier}${isEditMilestone ? '' : ', opened'}`,
    ]),
    ...withdrawalHistory.map(({ actionTakenDateTime, withdrawalStatus, reason }) => [
      actionTakenDateTime,
      `${withdrawalStatus.padEnd(12)}${reason}`,
    ]),
  ]
  for (const [at, text] of lines.sort(([a = ''], [b = '']) => (a < b ? -1 : 1))) console.log(`  ${at}  ${text}`)
}

/** A photo of a single pixel. */
const photo =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

/** Returns values keyed by control. A control in a repeat has one per wound, in the nested repeat one per dressing. */
function measured(length: number) {
  const each = (...values: unknown[]) => values.map((value, repeatIterationIndex) => ({ repeatIterationIndex, value }))
  const dressings = (...values: unknown[]) => values.map((value, n) => ({ repeatIterationPath: [0, n], value }))
  return {
    assessedAt: '2026-11-02T09:30',
    assessedBy: 'Ada Okafor',
    allergies: ['adhesive', 'honey'],
    bodyMap: {
      annotations: [
        { x: 75, y: 45, value: 'sacrum' },
        { x: 80, y: 88, value: 'right heel' },
      ],
    },
    site: each('sacrum', 'right-heel'),
    kind: each('pressure', 'pressure'),
    category: each('3', '2'),
    since: each('2026-09', '2026-10-19'),
    length: each(length, 12),
    width: each(18.5, 10),
    depth: each(6, 1),
    tissue: each(['slough', 'granulating'], ['epithelialising']),
    exudate: each('moderate', 'none'),
    exudateKind: each('serous'),
    odour: each('close', 'none'),
    skin: each(['macerated', 'red'], ['healthy']),
    infection: each(['redness']),
    swab: each(true),
    trend: each('better', 'first'),
    pain: each(4, 2),
    painAtChange: each(6, 3),
    photo: each(photo),
    layer: dressings('primary', 'secondary'),
    product: dressings('Alginate 10 × 10 cm', 'Foam 12.5 × 12.5 cm'),
    changeEvery: dressings(2, 4),
    referrals: ['tissue-viability'],
    nextAssessment: '2026-11-09',
    notes: 'Turned every two hours.',
  }
}
