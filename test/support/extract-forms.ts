// Form templates of the extract tests.
import { aPicture, aTemplate } from './form-factories.js'

const label = (text: string) => `Label of ${text}`
const option = (value: string) => ({ value, label: label(value) })
const numbered = (id: string, repeats: object[] = []) => ({
  id,
  label: label(id),
  controls: [{ id: `${id}No`, label: label(`${id}No`), dataType: 'integer' }],
  repeats,
})
const control = (id: string, dataType: string, more: object = {}) => ({ id, label: label(id), dataType, ...more })

/** Kinds of values that {@link aTemplate} does not have, in a block called as what every object of JavaScript has. */
export const rareForm = aTemplate({
  key: 'rare',
  language: 'fr',
  buildingBlocks: [
    {
      key: 'constructor',
      sections: [
        {
          id: 'one',
          controls: [
            control('exact', 'decimal'),
            control('whole', 'integer'),
            control('no', 'boolean'),
            control('wall', 'datetime'),
            control('said', 'string', { multiline: true }),
            control('year', 'date', { partial: true }),
            control('day', 'date', { partial: true }),
            control('south', 'geolocation'),
            control('told', 'translatable-text-value'),
            control('untold', 'translatable-text-value'),
            control('dose', 'decimal', { options: [option('0.50'), option('1.0')] }),
            control('since', 'date', { options: [option('2026-01-01')] }),
            control('colours', 'string', {
              options: ['red', 'blue'].map(option),
              couldHaveMultipleValues: true,
              allowOther: true,
            }),
            control('pins', 'annotated-image', { image: aPicture, imageDescription: 'A body' }),
            control('hidden', 'string', { relevant: { control: 'no', equals: true } }),
          ],
        },
        { id: 'two', controls: [], repeats: [numbered('house', [numbered('floor', [numbered('room')])])] },
      ],
    },
  ],
})

/** What JSON, JavaScript and markup are written with. */
export const saidText = 'a "b\\", {"hidden": [1]}: \\ \n\t</script> \u2028 é 🏥 \\"'

/** Values for {@link rareForm}, as JSON text: in numbers, too, all digits count. */
export const rareValues = `{"exact": 12345678.1234567800, "whole": 123456789012345678, "no": false, "wall": "2026-11-02T09:30",
  "said": ${JSON.stringify(saidText)},
  "year": "2026", "day": "2026-02-28", "south": {"latitude": -33.4489, "longitude": -70},
  "told": {"originalText": "Ça va", "translatedText": "Fine", "sourceLanguageCode": "fr-CA", "targetLanguageCode": "en",
    "translatedDateTime": "2026-11-02T10:00:00+01:00"},
  "untold": "Ça va", "dose": "0.50", "since": "2026-01-01", "colours": ["blue", "mauve"],
  "pins": {"annotations": [{"x": 25, "y": 50, "value": "<b>&"}, {"x": 100, "y": 0, "value": ""}]}, "hidden": "not shown",
  "houseNo": [{"repeatIterationIndex": 0, "value": 7}, {"repeatIterationIndex": 1, "value": 8}],
  "floorNo": [{"repeatIterationPath": [1, 0], "value": 0}],
  "roomNo": [{"repeatIterationPath": [1, 0, 0], "value": -1}, {"repeatIterationPath": [1, 0, 1], "value": 2}]}`

/** A form of two building blocks; the last control of the first could have no value. */
export const pairForm = aTemplate({
  key: 'pair',
  buildingBlocks: [
    {
      key: 'first',
      sections: [
        {
          id: 'only',
          controls: [
            { id: 'a', label: 'A' },
            { id: 'b', label: 'B' },
            { id: 'toRead', label: 'C', couldHaveValue: false, text: 'Read this.' },
          ],
        },
      ],
    },
    { key: 'second', sections: [{ id: 'only', controls: [{ id: 'c', label: 'C' }] }] },
  ],
})
/** Values for {@link pairForm}. */
export const pairValues = { a: '1', b: '2', c: '3' }
