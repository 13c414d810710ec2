import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkForm } from '../../forms/check.js'
import type { ValueType } from '../../forms/values.js'
import { patientForm } from '../../server/forms/xml.js'
import { formSchema } from '../../server/forms/xml-schema.js'
import { context, formTemplate, givenFor } from '../support/form-arbitraries.js'
import { xmlFaults } from '../support/xmllint.js'

const documentsPerForm = 8
const filled = formTemplate.chain(template =>
  fc.record({
    template: fc.constant(template),
    givens: fc.array(givenFor(template), { minLength: documentsPerForm, maxLength: documentsPerForm }),
    others: fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' })),
  }),
)

test('whatever the checks accept, of whatever form, is valid by the schema of the form', async () => {
  const seen = new Set<ValueType>()
  const property = fc.asyncProperty(filled, async ({ template, givens, others }) => {
    const documents = givens.flatMap(given => {
      const { values, faults } = checkForm(template, given, { complete: false, context })
      for (const value of Object.values(values).flat()) seen.add(value.type)
      const isTooMany = faults.some(({ code }) => code === 'too-many-iterations')
      return isTooMany ? [] : [patientForm(template, values, { token: 't', transactionId: '1', context: others })]
    })
    // Before anything is filled in.
    documents.push(patientForm(template, {}))
    expect(await xmlFaults(formSchema(template), documents)).toEqual(documents.map(() => ''))
  })
  await fc.assert(property, { numRuns: 15 })
  expect(seen.size).toBe(8)
})
