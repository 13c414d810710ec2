/**
 * A fragment of every text and number of the population, and its value in the submission that all others are copies of.
 */
export const firstNumber = 1_000_000

/** Building blocks of the form, each with {@link kinds} as its controls. */
export const blockKeys = ['history', 'examination', 'plan']

const options = (...values: string[]) => values.map(value => ({ value, label: `It is ${value} so` }))

/** Of mixed data types; with each what is filled in. */
const kinds: [control: object, value: (number: number) => unknown][] = [
  [{ maxLength: 200 }, number => `Slept well, no pain, visit ${number}`],
  [
    { multiline: true, maxLength: 2_000 },
    number => `As on the day before; "better" than in ${number}.\nSee the letter.`,
  ],
  [{ dataType: 'integer', min: 0 }, number => number],
  [{ dataType: 'decimal', unit: 'mm' }, number => `${number}.5`],
  [{ dataType: 'date' }, () => '2026-11-02'],
  [{ dataType: 'date', partial: true }, () => '2026-10'],
  [{ dataType: 'boolean' }, () => true],
  [{ options: options('never', 'sometimes', 'often') }, () => 'often'],
  [{ options: options('pain', 'fever', 'cough'), couldHaveMultipleValues: true }, () => ['pain', 'cough']],
  [{ dataType: 'geolocation' }, () => ({ latitude: 48.2, longitude: 16.37 })],
]

const idOf = (block: string, n: number) => `${block}${n}`

/** Building blocks of 10 controls. */
export const buildingBlocks = blockKeys.map(key => ({
  key,
  sections: [
    {
      id: `${key}Section`,
      controls: kinds.map(([control], n) => ({ id: idOf(key, n), label: `Question ${n + 1} of ${key}`, ...control })),
    },
  ],
}))

/** Values for all controls, which differ from those for another number in its digits and nothing else. */
export const valuesOf = (number: number): Record<string, unknown> =>
  Object.fromEntries(blockKeys.flatMap(key => kinds.map(([, value], n) => [idOf(key, n), value(number)])))
