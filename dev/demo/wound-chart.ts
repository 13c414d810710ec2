// Demo: the life of a form instance.
import { Type } from 'typebox'
import { type Answer, type Client, DemoError, parse, patiently } from './client.js'
import { nationalIdOf } from './national-ids.js'

const Written = Type.Object({
  instanceGuid: Type.String(),
  status: Type.String(),
  isAmendable: Type.Boolean(),
  viewLink: Type.String(),
})

const History = Type.Object({
  compositeInstanceHistory: Type.Array(
    Type.Object({
      createdDateTimeUtc: Type.String(),
      createdByUserIdentifier: Type.String(),
      status: Type.String(),
      isEditMilestone: Type.Boolean(),
    }),
  ),
  withdrawalHistory: Type.Array(
    Type.Object({ actionTakenDateTime: Type.String(), withdrawalStatus: Type.String(), reason: Type.String() }),
  ),
})

const Subjects = Type.Object({ Edges: Type.Array(Type.Object({ Node: Type.Object({ Id: Type.String() }) })) })

const nationalId = nationalIdOf(0)

/**
 * A wound chart of one person through all that can become of it. In a second run it is the same instance, and is amended.
 * @param forms the platform as a client of forms sees it, `frame` as one of people.
 */
export async function keepWoundChart(forms: Client, frame: Client): Promise<void> {
  const query = new URLSearchParams({ 'customFieldValueFilter.values[nationalId]': nationalId })
  const { Edges } = await patiently(() => frame.get(`api/v2/subject?${query}`, Subjects))
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
  const created = await forms.post('api/clinicianforms/create/', chart)
  const { instanceGuid, status, isAmendable } = parse(created, Written)
  const path = `api/patientforms/${patient}/instance/${instanceGuid}`
  const say = (what: string, text: string) => console.log(`  ${what.padEnd(12)}${text}`)
  let seen = created
  /** Takes a step after the one before: another editor's in between would be refused. */
  const step = async (what: string, send: (match: { 'if-match': string }) => Promise<Answer>) => {
    seen = await send({ 'if-match': seen.headers.get('etag') ?? '' })
    say(what, parse(seen, Written).status)
  }
  const reason = async (what: string, text: string, send: (body: { reason: string }) => Promise<Answer>) => {
    await send({ reason: text })
    say(what, text)
  }
  const reinstate = () =>
    reason('reinstated', 'It is not: the name was misread.', body => forms.patch(`${path}/reinstate`, body))

  say(status === 'New' ? 'created' : 'found', status)
  if (status === 'Complete') {
    // The last run was ended in the middle.
    if (!isAmendable) {
      await reinstate()
      seen = await forms.post('api/clinicianforms/create/', chart)
    }
    await step('amended', match => forms.post(`${path}/amend`, {}, match))
  }
  await step('saved', match => forms.put(`${path}/draft`, { values: measured(24) }, match))
  await step('submitted', match => forms.post(`${path}/submit`, { values: measured(24) }, match))
  await step('amended', match => forms.post(`${path}/amend`, {}, match))
  await step('submitted', match => forms.post(`${path}/submit`, { values: measured(21) }, match))
  await reason('withdrawn', 'It is of another person.', body => forms.delete(`${path}/withdraw`, body))
  await reinstate()

  await printHistory(forms, `api/patientforms/${patient}/history/${instanceGuid}`)
  console.log(`\nView      ${forms.url(parse(seen, Written).viewLink)}`)
  console.log('          A browser needs a token for it, see docs/forms.md; curl sends one in its header.')
}

async function printHistory(forms: Client, path: string): Promise<void> {
  const { compositeInstanceHistory, withdrawalHistory } = await patiently(() => forms.get(path, History))
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

/** A photo of one pixel. */
const photo =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

/** The values by control: of a control in a repeat one for each wound, of a nested one one for each dressing. */
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
