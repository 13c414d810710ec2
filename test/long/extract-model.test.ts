// Extracts against a model of the specification.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ExtractPlace, extractPlace, history, step, stopClock } from '../support/extract-history.js'
import { type AskedExtract, agree, extractModel } from '../support/extract-model.js'
import { type Answered, answerOf, extractChoice, requestOf } from '../support/extract-requests.js'
import { formsOf, type Made, recordOf, templates } from '../support/extract-templates.js'
import { openDatabase } from '../support/factories.js'
import { patience } from '../support/patience.js'

/** Extracts that are compared with the model, half of them under each clock. */
const cases = Number(process.env.FAULT_EXTRACTS || 1_000)
/** A busy machine takes several times the minute that it is; and a failure is made smaller. */
const timeoutMs = 600_000 * patience

/** Templates, and turns of changes and of extracts of what there is then. What stands first is made smaller first. */
const populations = recordOf({
  turns: fc.array(
    recordOf({
      extracts: fc.array(extractChoice, { minLength: 1, maxLength: 7, size: 'max' }),
      steps: fc.array(step, { maxLength: 9, size: 'max' }),
    }),
    { minLength: 1, maxLength: 5, size: 'max' },
  ),
  templates,
})

const db = openDatabase()

/**
 * Plays a population through, and compares its extracts with the model.
 * @param most extracts.
 * @returns those that agree.
 */
async function compared(
  place: ExtractPlace,
  { templates, turns }: Made<typeof populations>,
  prefix: string,
  max: number,
): Promise<Answered[]> {
  const { tenant, subjects } = place
  const forms = formsOf(templates, prefix)
  await tenant.publish(...forms.map(({ body }) => body))
  const past = history(forms, place)
  const model = extractModel(past.instances)
  const all: { asked: AskedExtract; answered: Answered }[] = []
  for (const { steps, extracts } of turns) {
    for (const each of steps) await past.take(each)
    const moments = [Date.now(), ...past.times(), ...all.map(({ answered }) => answered.instant)]
    const choices = { forms: forms.map(({ known }) => known), subjects, moments }
    const now = extracts.slice(0, max - all.length).map(async choice => {
      const asked = requestOf(choice, choices)
      return { asked, answered: await answerOf(tenant.forms, asked, choice) }
    })
    for (const { asked, answered } of await Promise.all(now)) {
      agree(answered.body, model.answer(asked, answered.instant), asked)
      all.push({ asked, answered })
    }
  }
  // Whatever was done since, a result stays what it was.
  const [first] = all
  if (first) agree(await first.answered.again(), first.answered.body, first.asked)
  return all.map(({ answered }) => answered)
}

const hasResults = ({ body }: Answered) => body.results.some(({ results }) => results.length > 0)

async function compareAll(isStopped: boolean): Promise<void> {
  const place = await extractPlace(db)
  if (isStopped) await stopClock(place)
  let [left, filled, runs] = [cases / 2, 0, 0]
  const property = fc.asyncProperty(populations, async population => {
    if (left === 0) return
    try {
      const agreeing = await compared(place, population, `p${runs++}`, left)
      left -= agreeing.length
      filled += agreeing.filter(hasResults).length
    } catch (error) {
      // A smaller one that fails is looked for among as many as it takes.
      left = Number.POSITIVE_INFINITY
      throw error
    }
  })
  // Far more than are needed: a population has 12 extracts on average.
  await fc.assert(property, { numRuns: cases / 5, interruptAfterTimeLimit: timeoutMs, markInterruptAsFailure: true })
  expect(left).toBe(0)
  expect(filled).toBeGreaterThan(cases / 8)
}

test.concurrent.each([
  ['as time goes', false],
  ['where many changes have the same time', true],
])('multi extracts answer what the specification says, %s', (_, isStopped) => compareAll(isStopped), timeoutMs + 60_000)
