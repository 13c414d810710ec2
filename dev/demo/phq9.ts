// The questions, answers and scores of the PHQ-9.
import { mulberry32 } from '../shuffle.js'

/** The nine questions of the PHQ-9, each answered with 0 to 3. */
export const questions = [
  'interest',
  'mood',
  'sleep',
  'energy',
  'appetite',
  'worth',
  'concentration',
  'movement',
  'selfHarm',
]

/** The answers of one person, keyed by control. */
export type Answers = Record<string, string>

/** Invents answers, the same in every run for the same seed. */
export function answersOf(seed: number): Answers {
  const random = mulberry32(seed)
  const answers: Answers = { filledInBy: 'self', difficulty: '1', safeNow: 'true' }
  for (const question of questions) answers[question] = String(Math.floor(random() * 4))
  return answers
}

/** Calculates the score as the form does. */
export const scoreOf = (answers: Answers): string =>
  String(questions.reduce((sum, question) => sum + Number(answers[question]), 0))

/** Counts equal texts, as in `2 mild, 8 moderate`. */
export function tally(texts: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const text of texts.toSorted()) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].map(([text, number]) => `${number} ${text}`).join(', ')
}
