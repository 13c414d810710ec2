// Schema of a control and its members in a form template.
import Type, { type Static, type TSchema } from 'typebox'
import { type Condition, dataTypes } from '../../../forms/template.js'
import { type ExactNumber, isNumeric } from '../../../runtime/exact-number.js'

export const optional = Type.Optional
export const strict = (id: string, description?: string) => ({
  $id: id,
  additionalProperties: false,
  ...(description ? { description } : {}),
})

/** Characters that XML 1.0 does not allow could never be delivered. */
const unprintable = '\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f\\ufffe\\uffff'
const printable = `[^${unprintable}]`
/** Printable white space, and a printable character that is none. */
const [blank, visible] = ['[^\\S\\x0b\\x0c]', `[^\\s${unprintable}]`]
export const Text = (description: string, maxLength = 4_000) =>
  Type.String({ pattern: `^${printable}*$`, maxLength, description })
export const Words = (description: string, maxLength = 1_000) =>
  Type.String({ pattern: `^${blank}*${visible}${printable}*$`, maxLength, description: `${description} Not empty.` })
export const flag = (value: boolean, description: string) => optional(Type.Boolean({ default: value, description }))

/** Of building blocks, sections, repeats and controls: an element of XML is called so, and a field of the page. */
export const Id = (description: string) =>
  Type.String({
    pattern: '^(?![Xx][Mm][Ll])[A-Za-z_][A-Za-z0-9_-]{0,63}$',
    publish: { pattern: '^[A-Za-z_][A-Za-z0-9_-]{0,63}$' },
    description: `${description} A letter or _, then letters, digits, _ and -: 64 at most; not beginning with xml.`,
  })
export const Language = (description: string) =>
  Type.String({
    pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$',
    maxLength: 35,
    description: `${description} A BCP 47 code such as en or pt-BR.`,
  })

/** A value as authors write it: numbers and true or false need no quotes. It is kept as text, with all its digits. */
export type Scalar = string | number | boolean | ExactNumber
const Scalar = (description: string) =>
  Type.Refine(
    Type.Unsafe<Scalar>({
      exact: true,
      publish: { type: ['string', 'number', 'boolean'], description: `${description} Quote digits that begin with 0.` },
    }),
    value =>
      isNumeric(value) ||
      typeof value === 'boolean' ||
      (typeof value === 'string' && value.length <= 10_000 && new RegExp(`^${printable}*$`).test(value)),
    () => 'must be a text, a number, or true or false',
  )

/** Things that hold others of their kind: so many levels. */
const maxConditionDepth = 3
export const tooDeep = (most: number) =>
  Type.Refine(
    Type.Unsafe<never>({}),
    () => false,
    () => `stands too deep: at most ${most} stand in each other`,
  )

export type ConditionBody = Omit<Condition, 'equals' | 'in' | 'all' | 'any' | 'not'> & {
  equals?: Scalar
  in?: Scalar[]
  all?: ConditionBody[]
  any?: ConditionBody[]
  not?: ConditionBody
}

/**
 * Written out to its depth: the check knows no recursion. All levels have one `$id`, so that the published schema, where the
 * outermost counts, refers to itself.
 */
const conditionOf = (depth: number): TSchema => {
  const inner = depth > 1 ? conditionOf(depth - 1) : undefined
  const list = inner ? Type.Array(inner, { minItems: 1, maxItems: 50 }) : tooDeep(maxConditionDepth)
  return Type.Object(
    {
      control: optional(
        Type.String({ description: 'Id of a control that stands earlier, in the same iteration or around it.' }),
      ),
      context: optional(Words('Key of the context of the instance, in place of a control.', 255)),
      equals: optional(Scalar('The value, or one of those chosen.')),
      in: optional(Type.Array(Scalar('One of them.'), { minItems: 1, maxItems: 1_000 })),
      answered: optional(Type.Boolean({ description: 'Whether there is a value.' })),
      atLeast: optional(Type.Number({ description: 'Of numbers, inclusive.' })),
      atMost: optional(Type.Number({ description: 'Of numbers, inclusive.' })),
      all: optional(list),
      any: optional(list),
      not: optional(inner ?? list),
    },
    strict(
      'FormCondition',
      'A control (or context) and one comparison: equals, in, answered, atLeast or atMost. Or one of all, any, not.',
    ),
  )
}
export const Relevant = Type.Unsafe<ConditionBody>(conditionOf(maxConditionDepth))

const Calculate = Type.Object(
  {
    sum: optional(Type.Array(Type.String(), { minItems: 1, maxItems: 500, description: 'Ids of numeric controls.' })),
    bands: optional(
      Type.Object(
        {
          of: Type.String({ description: 'Id of a numeric control.' }),
          bands: Type.Array(
            Type.Object(
              {
                upTo: optional(Type.Number({ description: 'Inclusive; absent in the last band.' })),
                value: Scalar('The value that the calculated control then has.'),
              },
              strict('FormBand'),
            ),
            { minItems: 1, maxItems: 100, description: 'In ascending order.' },
          ),
        },
        strict('FormBands'),
      ),
    ),
  },
  strict(
    'FormCalculation',
    'Either sum or bands, of controls that stand earlier. Empty until all of them have values.',
  ),
)

export const Control = Type.Object(
  {
    id: Id('Unique in the form; values are sent and extracted by it.'),
    label: Words('The question, or the heading of a text that is only read.'),
    hint: optional(Text('Shown below the label.')),
    dataType: optional(Type.Enum([...dataTypes], { default: 'string', description: 'What its values are.' })),
    couldHaveValue: flag(true, 'False for what is only read: `text` stands there.'),
    text: optional(Text('What stands there where couldHaveValue is false.', 20_000)),
    required: flag(false, 'A form is not complete without it, where it is relevant.'),
    relevant: optional(Relevant),
    calculate: optional(Calculate),
    initial: optional(
      Type.Object(
        {
          value: optional(Scalar('A value, or that of an option.')),
          context: optional(Words('Key of the context of the instance.', 255)),
        },
        strict('FormInitial', 'What the field holds at first: either of them.'),
      ),
    ),
    options: optional(
      Type.Array(
        Type.Object({ value: Scalar('Of the data type.'), label: Words('What is shown.') }, strict('FormOption')),
        { minItems: 1, maxItems: 1_000, description: 'What to choose from; of scalars only.' },
      ),
    ),
    couldHaveMultipleValues: flag(false, 'Several options may be chosen.'),
    allowOther: flag(false, 'Besides the options, a value of one’s own.'),
    min: optional(Scalar('Lowest number, date, time or datetime.')),
    max: optional(Scalar('Highest number, date, time or datetime.')),
    minLength: optional(Type.Integer({ minimum: 0, maximum: 100_000, description: 'Of texts, in characters.' })),
    maxLength: optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        default: 10_000,
        description: 'Of texts (also of pins), in characters.',
      }),
    ),
    pattern: optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'Regular expression (JavaScript) that the whole text matches.',
      }),
    ),
    multiline: flag(false, 'A field of several lines.'),
    unit: optional(Words('Shown behind a number.', 50)),
    partial: flag(false, 'A date that may be a year, or a year and month.'),
    image: optional(
      Type.String({
        maxLength: 1_500_000,
        description:
          'A picture as a data URL (SVG, PNG, JPEG or GIF of at most 1 MB). `armature apply` takes the name of a file beside the template.',
      }),
    ),
    imageDescription: optional(Words('What the picture shows, for who cannot see it.')),
    mediaTypes: optional(
      Type.Array(
        Type.String({ pattern: '^[a-z0-9]+/([a-z0-9.+-]+|\\*)$', description: 'Such as image/* or application/pdf.' }),
        { minItems: 1, maxItems: 50, description: 'Of data URLs; absent: all.' },
      ),
    ),
    maxBytes: optional(
      Type.Integer({ minimum: 1, maximum: 20_971_520, default: 2_097_152, description: 'Largest file of a data URL.' }),
    ),
    targetLanguage: optional(Language('Into which a translatable text is to be translated.')),
  },
  strict('FormControl'),
)
export type ControlBody = Static<typeof Control>
