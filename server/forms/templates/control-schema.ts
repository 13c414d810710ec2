// Defines the schema of a control in a form template.
import Type, { type Static, type TSchema } from 'typebox'
import { type Condition, dataTypes } from '../../../forms/template.js'
import { type ExactNumber, isNumeric } from '../../../runtime/json/exact-number.js'

export const optional = Type.Optional
export const strict = (id: string, description?: string) => ({
  $id: id,
  additionalProperties: false,
  ...(description ? { description } : {}),
})

/**
 * Characters that are refused, as a range of a regular expression: forms are delivered as XML 1.0, which cannot contain
 * them.
 */
const unprintable = '\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f\\ufffe\\uffff'
const printable = `[^${unprintable}]`
/** Regular expressions of a printable white-space character and of any other printable character. */
const [blank, visible] = ['[^\\S\\x0b\\x0c]', `[^\\s${unprintable}]`]
export const Text = (description: string, maxLength = 4_000) =>
  Type.String({ pattern: `^${printable}*$`, maxLength, description })
export const Words = (description: string, maxLength = 1_000) =>
  Type.String({ pattern: `^${blank}*${visible}${printable}*$`, maxLength, description: `${description} Not empty.` })
export const flag = (value: boolean, description: string) => optional(Type.Boolean({ default: value, description }))

/**
 * Creates the schema of an id of a building block, section, repeat or control. It becomes the name of an XML element
 * and a field.
 */
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

/** A value as authors write it. Numbers, `true` and `false` need no quotes. It is stored as text, with all digits. */
export type Scalar = string | number | boolean | ExactNumber
const Scalar = (description: string) =>
  Type.Refine(
    Type.Unsafe<Scalar>({
      exact: true,
      publish: {
        anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }],
        description: `${description} Quote digits that begin with 0.`,
      },
    }),
    value =>
      isNumeric(value) ||
      typeof value === 'boolean' ||
      (typeof value === 'string' && value.length <= 10_000 && new RegExp(`^${printable}*$`).test(value)),
    () => 'must be a text, a number, or true or false',
  )

/** How deeply conditions can be nested. */
const maxConditionDepth = 3
export const tooDeep = (max: number) =>
  Type.Refine(
    Type.Unsafe<never>({}),
    () => false,
    () => `is nested too deeply: at most ${max} levels are allowed`,
  )

export type ConditionBody = Omit<Condition, 'equals' | 'in' | 'all' | 'any' | 'not'> & {
  equals?: Scalar
  in?: Scalar[]
  all?: ConditionBody[]
  any?: ConditionBody[]
  not?: ConditionBody
}

/**
 * Creates the schema of a condition with the given number of levels. It is unrolled because the validator does not support
 * recursion. All levels share one `$id`; the published schema uses the outermost, which then refers to itself.
 */
const conditionOf = (depth: number): TSchema => {
  const inner = depth > 1 ? conditionOf(depth - 1) : undefined
  const list = inner ? Type.Array(inner, { minItems: 1, maxItems: 50 }) : tooDeep(maxConditionDepth)
  return Type.Object(
    {
      control: optional(
        Type.String({ description: 'Id of a control that stands earlier, in the same iteration or around it.' }),
      ),
      context: optional(Words('Key of the context of the instance, used instead of a control.', 255)),
      equals: optional(Scalar('The value of the control, or one of its chosen options.')),
      in: optional(Type.Array(Scalar('A value; one of the list must be equal.'), { minItems: 1, maxItems: 1_000 })),
      answered: optional(Type.Boolean({ description: 'True: the control has a value. False: it has none.' })),
      atLeast: optional(Type.Number({ description: 'Lowest number, inclusive.' })),
      atMost: optional(Type.Number({ description: 'Highest number, inclusive.' })),
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
                upTo: optional(Type.Number({ description: 'Upper bound, inclusive. The last band has none.' })),
                value: Scalar('The value of the calculated control in this band.'),
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
    'Either sum or bands. It refers to controls that stand earlier, and has no value until all of them have one.',
  ),
)

export const Control = Type.Object(
  {
    id: Id('Unique in the form; values are sent and extracted by it.'),
    label: Words('The question, or the heading of a read-only text.'),
    hint: optional(Text('Shown below the label.')),
    dataType: optional(Type.Enum([...dataTypes], { default: 'string', description: 'Type of the values.' })),
    couldHaveValue: flag(true, 'False for a control that only shows its `text`.'),
    text: optional(Text('The text of a control with couldHaveValue false.', 20_000)),
    required: flag(false, 'If it is relevant, the form cannot be completed without an answer.'),
    relevant: optional(Relevant),
    calculate: optional(Calculate),
    initial: optional(
      Type.Object(
        {
          value: optional(Scalar('A value, or that of an option.')),
          context: optional(Words('Key of the context of the instance.', 255)),
        },
        strict('FormInitial', 'The initial value: either value or context.'),
      ),
    ),
    options: optional(
      Type.Array(
        Type.Object(
          { value: Scalar('A value of the data type.'), label: Words('The text that is shown.') },
          strict('FormOption'),
        ),
        { minItems: 1, maxItems: 1_000, description: 'The options to choose from. Only for scalar data types.' },
      ),
    ),
    couldHaveMultipleValues: flag(false, 'Several options may be chosen.'),
    allowOther: flag(false, 'People can enter an answer of their own besides the options.'),
    min: optional(Scalar('Lowest number, date, time or datetime.')),
    max: optional(Scalar('Highest number, date, time or datetime.')),
    minLength: optional(Type.Integer({ minimum: 0, maximum: 100_000, description: 'Shortest text, in characters.' })),
    maxLength: optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        default: 10_000,
        description: 'Longest text, in characters. It also limits the texts of pins.',
      }),
    ),
    pattern: optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'Regular expression (JavaScript) that the whole text must match.',
      }),
    ),
    multiline: flag(false, 'The field has several lines.'),
    unit: optional(Words('Unit shown after a number.', 50)),
    partial: flag(false, 'A date may be just a year, or a year and month.'),
    image: optional(
      Type.String({
        maxLength: 1_500_000,
        description:
          'A picture as a data URL (SVG, PNG, JPEG or GIF of at most 1 MB). `armature apply` takes the name of a file beside the template.',
      }),
    ),
    imageDescription: optional(Words('Describes the picture for people who cannot see it.')),
    mediaTypes: optional(
      Type.Array(
        Type.String({ pattern: '^[a-z0-9]+/([a-z0-9.+-]+|\\*)$', description: 'Such as image/* or application/pdf.' }),
        { minItems: 1, maxItems: 50, description: 'Media types of files. All are allowed by default.' },
      ),
    ),
    maxBytes: optional(
      Type.Integer({ minimum: 1, maximum: 20_971_520, default: 2_097_152, description: 'Largest file, in bytes.' }),
    ),
    targetLanguage: optional(Language('Language that a translatable text is to be translated into.')),
  },
  strict('FormControl'),
)
export type ControlBody = Static<typeof Control>
