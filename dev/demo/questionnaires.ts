// Demo: many people fill in questionnaires.
import { type Client, NoAnswer } from '../../client/index.js'
import { nationalIdOf } from '../national-ids.js'
import { type Answers, answersOf } from './phq9.js'
import { count, pace, progress } from './progress.js'

export const form = { key: 'phq-9', version: 2 }

/** How many people fill in questionnaires. */
const people = 150
const inFlight = 8

/** A questionnaire that a person fills in. */
export interface Questionnaire {
  subjectId: string
  /** The client's own identifier of the form instance. */
  name: string
  answers: Answers
}

/** A submitted questionnaire. */
export interface Submitted extends Questionnaire {
  instanceGuid: string
}

/**
 * Fills in two questionnaires for each of the demo's own people, one before and one after a treatment. Those of an earlier run
 * are reused. Others, such as those whom the documentation's sessions create, have answers that the demo does not know.
 * @param corrected for how many people, the last ones, an earlier run may have changed answers. Theirs are submitted again.
 * @returns the two questionnaires of each person, the one before the treatment first.
 */
export async function collect(forms: Client, frame: Client, corrected: number): Promise<Submitted[][]> {
  const nationalId = Array.from({ length: people }, (_, n) => nationalIdOf(n))
  const body = { First: people, customFieldValueFilter: { values: { nationalId }, match: 'ExactAny' } } as const
  const { Edges } = (await frame.post('/api/v2/subject/query', { body })).data
  const wanted = Edges.map(({ Node }, n) =>
    ['before', 'after'].map((when, round): Questionnaire => {
      const answers = answersOf(1_000 * (round + 1) + n)
      return { subjectId: Node.Id, name: `phq-9-${when}-${Node.Id}`, answers }
    }),
  )
  const all = wanted.flat().length
  console.log(`${count(wanted.length)} people fill in a PHQ-9 before a treatment and one after it, which are kept:`)
  const start = performance.now()
  const { submitted, found } = await fillInAll(forms, wanted, wanted.length - corrected)
  const { seconds, perSecond } = pace(all, start)
  const known = found > 0 ? `; ${count(found)} were there from the last run` : ''
  console.log(`\n${count(all)} questionnaires in ${seconds}, ${perSecond} a second${known}`)
  return submitted
}

/** @param kept for how many people, the first ones, completed questionnaires are left as they are. */
async function fillInAll(
  forms: Client,
  wanted: readonly Questionnaire[][],
  kept: number,
): Promise<{ submitted: Submitted[][]; found: number }> {
  const bar = progress()
  const all = wanted.flat().length
  const submitted = wanted.map((): Submitted[] => [])
  const waiting = [...wanted.entries()]
  let [done, found] = [0, 0]
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [person, theirs] = next
      for (const questionnaire of theirs) {
        const filledIn = await fillIn(forms, questionnaire, person < kept, () => bar.say('waiting for the API'))
        submitted[person]?.push({ ...questionnaire, instanceGuid: filledIn.instanceGuid })
        if (!filledIn.isSubmitted) found++
        bar.update(++done, all, done < all ? 'Filling in' : 'Submitted')
      }
    }
  }
  try {
    bar.update(0, all, 'Filling in')
    await Promise.all(Array.from({ length: inFlight }, lane))
  } finally {
    // After a failure this makes the other lanes stop after their current person.
    waiting.length = 0
    bar.stop()
  }
  return { submitted, found }
}

/**
 * Creates and submits a questionnaire, or amends it if it was submitted before. It is safe to repeat if no answer came.
 * @param isKept leaves a questionnaire that is already complete as it is.
 */
export async function fillIn(
  forms: Client,
  { subjectId, name, answers }: Questionnaire,
  isKept: boolean,
  onWait?: () => void,
): Promise<{ instanceGuid: string; isSubmitted: boolean }> {
  const { key, version } = form
  const body = { patientIdentifier: subjectId, instanceIdentifier: name, formKey: key, formVersion: version }
  // Safe to repeat, because the same identifier finds the same instance.
  const again = { isRepeatable: true, ...(onWait && { onWait }) }
  const { instanceGuid, status } = (await forms.post('/api/clinicianforms/create', { body, ...again })).data
  if (status === 'Complete' && isKept) return { instanceGuid, isSubmitted: false }
  const params = { path: { patientId: subjectId, instanceGuid }, header: { 'If-Match': '*' } }
  const path = '/api/patientforms/{patientId}/instance/{instanceGuid}'
  try {
    if (status === 'Complete') await forms.post(`${path}/amend`, { params })
    await forms.post(`${path}/submit`, { params, body: { values: answers } })
  } catch (error) {
    // We do not know whether it was submitted. Beginning again reads its current state.
    if (error instanceof NoAnswer) return fillIn(forms, { subjectId, name, answers }, isKept, onWait)
    throw error
  }
  return { instanceGuid, isSubmitted: true }
}
