// Schema of a form template.
import Type, { type Static, type TSchema } from 'typebox'
import { shortKeyPattern } from '../../../runtime/short-key.js'
import { Control, flag, Id, Language, optional, Relevant, strict, Text, tooDeep, Words } from './control-schema.js'

/** Levels of repeats in each other. */
const maxRepeatDepth = 4

const controls = optional(Type.Array(Control, { description: 'They come before the repeats.' }))
const repeatMembers = {
  id: Id('Unique in the form.'),
  label: Words('Of one iteration, such as Wound.'),
  hint: optional(Text('Shown below the label.')),
  minIterations: optional(Type.Integer({ minimum: 0, maximum: 50, default: 0 })),
  maxIterations: optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 1_000 }), Type.Null()], {
      default: null,
      description: 'Null: 1000.',
    }),
  ),
  relevant: optional(Relevant),
  controls,
}
const RepeatMembers = Type.Object(repeatMembers)
export type RepeatBody = Static<typeof RepeatMembers> & { repeats?: RepeatBody[] }

/** As {@link conditionOf}. */
const repeatOf = (depth: number): TSchema =>
  Type.Object(
    {
      ...repeatMembers,
      repeats: optional(depth > 1 ? Type.Array(repeatOf(depth - 1)) : tooDeep(maxRepeatDepth)),
    },
    strict('FormRepeat', `Filled in once for each iteration. At most ${maxRepeatDepth} stand in each other.`),
  )
const Repeat = Type.Unsafe<RepeatBody>(repeatOf(maxRepeatDepth))

const Section = Type.Object(
  {
    id: Id('Unique in its building block.'),
    title: optional(Words('Its heading.')),
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
    key: Id('Once in a form; the same block may be part of other forms.'),
    version: optional(
      Type.Integer({
        minimum: 1,
        maximum: 999_999,
        default: 1,
        description: 'In production, the same key and version is the same block in every form.',
      }),
    ),
    title: optional(Words('Its heading.')),
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
        description: 'Letters, digits, - and _: 64 at most; the path has it too. AvailableForms is no key.',
      }),
    ),
    version: optional(Type.Integer({ minimum: 1, maximum: 999_999, description: 'The path has it too.' })),
    status: optional(
      Type.Enum(['Development', 'Production'], {
        default: 'Development',
        description: 'In production it never changes.',
      }),
    ),
    title: Words('Of the form.', 255),
    classification: optional({
      ...Words('Open text, such as Observation or Plans.', 255),
      default: 'Uncategorised',
    }),
    introduction: optional(Text('Shown above the first section.', 20_000)),
    language: optional({ ...Language('Of the texts.'), default: 'en' }),
    allowAmend: flag(true, 'A complete form may be changed: that makes a new version of it.'),
    allowSaveDraft: flag(true, 'It may be saved before it is complete.'),
    autoSaveIntervalSeconds: optional(
      Type.Integer({ minimum: 5, maximum: 86_400, default: 30, description: 'Drafts save themselves so often.' }),
    ),
    allowDiscard: flag(true, 'A draft may be discarded.'),
    allowRevoke: flag(true, 'An instance may be withdrawn and reinstated.'),
    buildingBlocks: Type.Array(BuildingBlock, { minItems: 1, maxItems: 200 }),
  },
  strict('FormTemplate', 'One version of a form.'),
)
export type TemplateBody = Static<typeof Template>
