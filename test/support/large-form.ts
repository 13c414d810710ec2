// A form with 200 values in four building blocks.
import { aTemplate } from './factories.js'

const blocks = 4
const controlsOfBlock = 50

/** How many values the form has. */
export const largeFormValues = blocks * controlsOfBlock

const kinds = [
  { dataType: 'string', maxLength: 200 },
  { dataType: 'integer', min: 0, max: 1_000 },
  { dataType: 'decimal', unit: 'mm' },
  { dataType: 'date' },
  { options: ['never', 'sometimes', 'often'].map(value => ({ value, label: `It is ${value} so` })) },
]

const idOf = (n: number, k: number) => `control${n}-${k}`

const block = (n: number) => ({
  key: `block${n}`,
  sections: [
    {
      id: `section${n}`,
      controls: Array.from({ length: controlsOfBlock }, (_, k) => ({
        id: idOf(n, k),
        label: `Question ${k}`,
        required: true,
        ...kinds[k % kinds.length],
      })),
    },
  ],
})

/** The template of the form, with the key `large`. */
export const largeForm = () =>
  aTemplate({ key: 'large', buildingBlocks: Array.from({ length: blocks }, (_, n) => block(n)) })

/** Values for all controls of the form; each seed gives others. */
export const largeFormOf = (seed: number) => {
  const all = ['Slept well, no pain', 72, 12.5, '2026-11-02', 'often']
  const entries = Array.from({ length: largeFormValues }, (_, n) => {
    const k = n % controlsOfBlock
    const value = all[k % all.length]
    return [idOf(Math.floor(n / controlsOfBlock), k), k === 0 ? `${value} ${seed}` : value]
  })
  return Object.fromEntries(entries)
}
