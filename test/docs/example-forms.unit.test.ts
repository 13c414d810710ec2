// The example forms of the docs.
import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { questions } from '../../dev/demo/phq9.js'
import { exampleForms } from '../../dev/demo-forms.js'
import { checkForm } from '../../forms/check.js'
import { controlsOf, dataTypes, type FormTemplate } from '../../forms/template.js'
import type { Content } from '../../forms/values.js'
import { templateFaults } from '../../server/forms/templates/template-faults.js'
import { completedTemplate } from '../../server/forms/templates/template-shape.js'
import { templateWarnings } from '../../server/forms/templates/template-warnings.js'

const forms = new Map<string, FormTemplate>()
for (const body of await exampleForms()) {
  forms.set(`${body.key} ${body.version}`, completedTemplate(body.key, body.version, body))
}

const form = (name: string): FormTemplate => {
  const found = forms.get(name)
  if (!found) throw new Error(`There is no ${name}.`)
  return found
}

const names = ['home-visit 1', 'home-visit 2', 'phq-9 1', 'phq-9 2', 'wound-chart 1', 'wound-chart 2']

test('there are two versions of three forms, and no other file of the schema’s kind', () => {
  expect([...forms.keys()].sort()).toEqual(names)
  expect(readdirSync('examples/forms').sort()).toEqual(
    ['body.svg', ...names.map(name => `${name.replace(' ', '.')}.yaml`)].sort(),
  )
})

test.each(names)('%s has no fault and gives no warning', name => {
  expect(templateFaults(form(name))).toEqual([])
  expect(templateWarnings(form(name))).toEqual([])
})

test('a building block of one key and version is the same in both versions of a form', () => {
  const blocks = new Map<string, object>()
  for (const block of [...forms.values()].flatMap(({ buildingBlocks }) => buildingBlocks)) {
    const name = `${block.key} ${block.version}`
    expect(block, name).toEqual(blocks.get(name) ?? block)
    blocks.set(name, block)
  }
})

test('the example forms together use every data type except html', () => {
  const used = new Set([...forms.values()].flatMap(each => [...controlsOf(each).values()]).map(p => p.control.dataType))
  expect(dataTypes.filter(dataType => !used.has(dataType))).toEqual(['html'])
})

/** The values of what was filled in, of each control the first; undefined where it is not relevant. */
const filled = (name: string, given: Record<string, unknown>) => {
  const { values, faults } = checkForm(form(name), given, { complete: true })
  const first = (id: string): Content | undefined => values[id]?.[0]
  return { first, faults: faults.map(({ id, code }) => `${id}: ${code}`) }
}

describe('PHQ-9', () => {
  /** Answers in the order of the questions. */
  const answered = (answers: string) =>
    Object.fromEntries(questions.flatMap((id, n) => (answers[n] === '-' ? [] : [[id, answers[n]]])))
  const others = { difficulty: 1, safeNow: true, filledInBy: 'self' }

  // The bands of Kroenke, Spitzer, Williams (2001), at both ends.
  test.each([
    ['000000000', '0', 'none'],
    ['111100000', '4', 'none'],
    ['111110000', '5', 'mild'],
    ['333000000', '9', 'mild'],
    ['333100000', '10', 'moderate'],
    ['222222200', '14', 'moderate'],
    ['333330000', '15', 'moderately severe'],
    ['333333100', '19', 'moderately severe'],
    ['333333200', '20', 'severe'],
    ['333333333', '27', 'severe'],
  ])('%s is %s, %s', (answers, score, severity) => {
    for (const name of ['phq-9 1', 'phq-9 2']) {
      const given = { ...answered(answers), ...(name === 'phq-9 2' ? others : { difficulty: 1 }) }
      const { first, faults } = filled(name, given)
      expect(faults).toEqual([])
      expect(first('score')).toMatchObject({ type: 'single-value', value: score })
      expect(first('severity')).toMatchObject({ type: 'single-value', value: severity })
    }
  })

  test('there is no sum until all nine are answered, and one that is not is named', () => {
    const { first, faults } = filled('phq-9 1', { ...answered('11111111-'), difficulty: 0 })
    expect([first('score'), first('severity')]).toMatchObject([{ type: 'empty' }, { type: 'empty' }])
    expect(faults).toEqual(['selfHarm: required'])
  })

  test('a sum or severity that is sent is ignored', () => {
    const { first } = filled('phq-9 1', { ...answered('000000000'), score: 27, severity: 'severe' })
    expect([first('score'), first('severity')]).toMatchObject([{ value: '0' }, { value: 'none' }])
  })

  test('the tenth question is asked of whoever has any problem, and of nobody else', () => {
    expect(filled('phq-9 1', answered('000000000')).first('difficulty')).toBeUndefined()
    expect(filled('phq-9 1', answered('000000100')).faults).toEqual(['difficulty: required'])
  })

  test('whoever has thoughts of self-harm is asked about safety, and for a number where it is needed', () => {
    const answers = { ...answered('000000001'), ...others, safeNow: undefined }
    expect(filled('phq-9 2', answers).faults).toEqual(['safeNow: required'])
    expect(filled('phq-9 2', { ...answers, safeNow: false }).faults).toEqual(['callBack: required'])
    expect(filled('phq-9 2', { ...answers, safeNow: false, callBack: '+44 20 7946 0000' }).faults).toEqual([])
    expect(filled('phq-9 2', { ...answered('000000010'), ...others }).first('safeNow')).toBeUndefined()
  })
})

test('home visit: of a person who was not at home, only what was done instead is asked', () => {
  const arrival = { visitor: 'A', visitedOn: '2026-11-02', arrivedAt: '09:10' }
  expect(filled('home-visit 2', { ...arrival, metAtDoor: false }).faults).toEqual(['notMet: required'])
  expect(
    filled('home-visit 2', { ...arrival, metAtDoor: false, notMet: ['card', 'asked a neighbour'] }).faults,
  ).toEqual([])
})

test('home visit: living alone since a month, and a fall is counted', () => {
  const met = { visitor: 'A', visitedOn: '2026-11-02', arrivedAt: '09:10', metAtDoor: true, medicinesTaken: 'yes' }
  const { first, faults } = filled('home-visit 2', {
    ...met,
    livesAlone: true,
    aloneSince: '2019-05',
    fellLately: true,
  })
  expect(faults).toEqual(['fallCount: required'])
  expect(first('aloneSince')).toMatchObject({ type: 'partial-date', dateKind: 'yyyy-MM', date: '2019-05-01' })
  expect([first('household'), first('hazardPlan')]).toEqual([undefined, undefined])
})

test('wound chart: at least one wound, and the category only of a pressure ulcer', () => {
  const chart = {
    assessedAt: '2026-11-02T09:30',
    assessedBy: 'A',
    bodyMap: { annotations: [{ x: 75, y: 45, value: '1' }] },
    nextAssessment: '2026-11-09',
  }
  expect(filled('wound-chart 1', chart).faults).toEqual(['wound: too-few-iterations'])
  const one = (values: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(values).map(([id, value]) => [id, [{ repeatIterationIndex: 0, value }]]))
  const wound = {
    site: 'sacrum',
    length: 24,
    width: 18,
    depth: 6,
    tissue: ['slough'],
    exudate: 'none',
    odour: 'none',
    pain: 4,
  }
  expect(filled('wound-chart 1', { ...chart, ...one({ ...wound, kind: 'burn' }) }).faults).toEqual([])
  expect(filled('wound-chart 1', { ...chart, ...one({ ...wound, kind: 'pressure', pain: 11 }) }).faults).toEqual([
    'category: required',
    'pain: too-high',
  ])
})
