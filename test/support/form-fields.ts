import { fieldName, markerName } from '../../forms/posted.js'
import { controlsOf, type FormTemplate } from '../../forms/template.js'
import { type ControlValue, type FormValues, pathOf } from '../../forms/values.js'

type Field = [name: string, text: string]

/**
 * What a page that shows these values posts: texts for all fields, and a marker for each iteration.
 * @param numbered how the page numbers the iterations; it may have gaps.
 */
export function fieldsOf(template: FormTemplate, values: FormValues, numbered = (index: number) => index): Field[] {
  return Object.entries(values).flatMap(([id, all]) => {
    const repeats = controlsOf(template).get(id)?.repeats ?? []
    return all.flatMap((value): Field[] => {
      const path = pathOf(value).map(numbered)
      const markers = repeats.map(({ id }, depth): Field => [markerName(id, path.slice(0, depth + 1)), '1'])
      const fields = textsOf(template, id, value).map(([part, text]): Field => [fieldName(id, path, part), text])
      return [...markers, ...fields]
    })
  })
}

function textsOf(template: FormTemplate, id: string, value: ControlValue): [part: string | undefined, text: string][] {
  switch (value.type) {
    case 'empty':
      return []
    case 'single-value':
    case 'single-selection':
      return [[undefined, value.value]]
    case 'multiple-selection': {
      const options = controlsOf(template).get(id)?.control.options ?? []
      const isOption = (text: string) => options.some(option => option.value === text)
      return value.selections.map(({ value }) => [isOption(value) ? undefined : 'other', value])
    }
    case 'geolocation':
      return [
        ['latitude', value.latitude.toFixed(7)],
        ['longitude', value.longitude.toFixed(7)],
      ]
    case 'annotated-image':
      return value.annotations.flatMap(({ x, y, value }, n) => [
        [`pins[${n * 3}].x`, String(x)],
        [`pins[${n * 3}].y`, String(y)],
        [`pins[${n * 3}].value`, value],
      ])
    case 'partial-date': {
      const [year = '', month = '', day = ''] = value.date.slice(0, value.dateKind.length).split('-')
      return [
        ['year', year],
        ['month', month],
        ['day', day],
      ]
    }
    case 'translatable-text-value':
      return [[undefined, value.originalText]]
  }
}
