// Defines the schema of a form template.
import Type, { type Static, type TSchema } from 'typebox'
import { shortKeyPattern } from '../../../runtime/schema/short-key.js'
import { Control, flag, Id, Language, optional, Relevant, strict, Text, tooDeep, Words } from './control-schema.js'

/** How deeply repeats can be nested. */
const maxRepeatDepth = 4

const controls = optional(Type.Array(Control, { description: 'Controls; they are shown before the repeats.' }))
const repeatMembers = {
  id: Id('Unique in the form.'),
  label: Words('Name of a single iteration, such as Wound.'),
  hint: optional(Text('Shown below the label.')),
  minIterations: optional(Type.Integer({ minimum: 0, maximum: 50, default: 0 })),
  maxIterations: optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 1_000 }), Type.Null()], {
      default: null,
      description: 'Null means 1000.',
    }),
  ),
  relevant: optional(Relevant),
  controls,
}
const RepeatMembers = Type.Object(repeatMembers)
export type RepeatBody = Static<typeof RepeatMembers> & { repeats?: RepeatBody[] }

/** Creates the schema of a repeat with the given number of levels, unrolled like `conditionOf` in control-schema.ts. */
const repeatOf = (depth: number): TSchema =>
  Type.Object(
    {
      ...repeatMembers,
      repeats: optional(depth > 1 ? Type.Array(repeatOf(depth - 1)) : tooDeep(maxRepeatDepth)),
    },
    strict('FormRepeat', `Filled in once for each iteration. At most ${maxRepeatDepth} can be nested.`),
  )
const Repeat = Type.Unsafe<RepeatBody>(repeatOf(maxRepeatDepth))

const Section = Type.Object(
  {
    id: Id('Unique in its building block.'),
    title: optional(Words('Heading of the section.')),
    hint: optional(Text('Shown below the heading.')),
    relevant: optional(Relevant),
    controls,
    repeats: optional(Type.Array(Repeat)),
  },
  strict('FormSection'),
)
export type SectionBody = Static<typeof Section>

const BuildingBlock = Type.Object(
  {
    key: Id('Unique in the form. The same block can be part of other forms.'),
    version: optional(
      Type.Integer({
        minimum: 1,
        maximum: 999_999,
        default: 1,
        description: 'In production, the same key and version is the same block in every form.',
      }),
    ),
    title: optional(Words('Heading of the block.')),
    sections: Type.Array(Section, { minItems: 1, maxItems: 500 }),
  },
  strict('FormBuildingBlock'),
)
export type BuildingBlockBody = Static<typeof BuildingBlock>

/** One version of a form as its author writes it. */
export const Template = Type.Object(
  {
    key: optional(
      Type.String({
        pattern: shortKeyPattern,
        description:
          'At most 64 letters, digits, - and _, and not AvailableForms. If given, it must be that of the path.',
      }),
    ),
    version: optional(
      Type.Integer({ minimum: 1, maximum: 999_999, description: 'If given, it must be that of the path.' }),
    ),
    status: optional(
      Type.Enum(['Development', 'Production'], {
        default: 'Development',
        description: 'A version in production cannot be changed.',
      }),
    ),
    title: Words('Title of the form.', 255),
    classification: optional({
      ...Words('Free text, such as Observation or Plans.', 255),
      default: 'Uncategorised',
    }),
    introduction: optional(Text('Shown above the first section.', 20_000)),
    language: optional({ ...Language('Language of the texts.'), default: 'en' }),
    allowAmend: flag(true, 'Complete instances can be changed, which creates a new version of them.'),
    allowSaveDraft: flag(true, 'Instances can be saved before they are complete.'),
    autoSaveIntervalSeconds: optional(
      Type.Integer({
        minimum: 5,
        maximum: 86_400,
        default: 30,
        description: 'Seconds between automatic saves of a draft.',
      }),
    ),
    allowDiscard: flag(true, 'Drafts can be discarded.'),
    allowRevoke: flag(true, 'Instances can be withdrawn and reinstated.'),
    buildingBlocks: Type.Array(BuildingBlock, { minItems: 1, maxItems: 200 }),
  },
  strict('FormTemplate', 'One version of a form.'),
)
export type TemplateBody = Static<typeof Template>
