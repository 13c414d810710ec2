// Builds the form definition that the API returns to programs.
import Type, { type Static } from 'typebox'
import { type Control, dataTypes, type FormTemplate, type Repeat, type Section } from '../../../forms/template.js'

const Path = Type.String({ description: "XPath of the element in the form's XML." })
const PathOrNull = Type.Union([Type.String(), Type.Null()])

const ControlDefinition = Type.Object(
  {
    id: Type.String(),
    xPath: Path,
    dataType: Type.Enum([...dataTypes]),
    label: Type.String(),
    hint: Type.String({ description: 'Empty if the form has no hint.' }),
    couldHaveValue: Type.Boolean(),
    couldHaveMultipleValues: Type.Boolean(),
    displayNameXPath: PathOrNull,
    otherValueXPath: PathOrNull,
  },
  { $id: 'ControlDefinition' },
)

interface RepeatOf {
  id: string
  xPath: string
  label: string
  minIterations: number
  maxIterations: number | null
  controls: Static<typeof ControlDefinition>[]
  repeats: RepeatOf[]
}

const RepeatDefinition = Type.Object(
  {
    id: Type.String(),
    xPath: Path,
    label: Type.String(),
    minIterations: Type.Integer(),
    maxIterations: Type.Union([Type.Integer(), Type.Null()]),
    controls: Type.Array(ControlDefinition),
    repeats: Type.Array(Type.Unsafe<RepeatOf>({ $ref: '#/components/schemas/RepeatDefinition' })),
  },
  { $id: 'RepeatDefinition' },
)

/** Form definition (spec forms). */
export const FormDefinition = Type.Object(
  {
    key: Type.String(),
    version: Type.Integer(),
    title: Type.String(),
    allowAmend: Type.Boolean(),
    classification: Type.String(),
    allowSaveDraft: Type.Boolean(),
    autoSaveInteval: Type.Integer({ description: 'In seconds.' }),
    allowDiscard: Type.Boolean(),
    allowRevoke: Type.Boolean(),
    buildingBlocks: Type.Array(
      Type.Object({
        key: Type.String(),
        version: Type.Integer(),
        xPath: Path,
        sections: Type.Array(
          Type.Object({
            id: Type.String(),
            xPath: Path,
            controls: Type.Array(ControlDefinition),
            repeats: Type.Array(RepeatDefinition),
          }),
        ),
      }),
    ),
  },
  { $id: 'FormDefinition' },
)

/** Builds the definition of a form: its parts, and where their values are in its XML. */
export const formDefinition = (template: FormTemplate): Static<typeof FormDefinition> => ({
  key: template.key,
  version: template.version,
  title: template.title,
  allowAmend: template.allowAmend,
  classification: template.classification,
  allowSaveDraft: template.allowSaveDraft,
  // The specification has this spelling.
  autoSaveInteval: template.autoSaveIntervalSeconds,
  allowDiscard: template.allowDiscard,
  allowRevoke: template.allowRevoke,
  buildingBlocks: template.buildingBlocks.map(({ key, version, sections }) => {
    const xPath = `/PatientForm/${key}`
    return { key, version, xPath, sections: sections.map(section => sectionOf(section, `${xPath}/${section.id}`)) }
  }),
})

const sectionOf = ({ id, ...within }: Section, xPath: string) => ({ id, xPath, ...contentOf(within, xPath) })

const repeatOf = ({ id, label, minIterations, maxIterations, ...within }: Repeat, xPath: string): RepeatOf => ({
  id,
  xPath,
  label,
  minIterations,
  maxIterations,
  ...contentOf(within, xPath),
})

const contentOf = ({ controls, repeats }: Pick<Section, 'controls' | 'repeats'>, xPath: string) => ({
  controls: controls.map(control => controlOf(control, `${xPath}/${control.id}`)),
  repeats: repeats.map(repeat => repeatOf(repeat, `${xPath}/${repeat.id}`)),
})

const controlOf = (control: Control, xPath: string) => ({
  id: control.id,
  xPath,
  dataType: control.dataType,
  label: control.label,
  hint: control.hint ?? '',
  couldHaveValue: control.couldHaveValue,
  couldHaveMultipleValues: control.couldHaveMultipleValues,
  displayNameXPath: control.options ? `${xPath}/@displayName` : null,
  otherValueXPath: control.options && control.allowOther ? `${xPath}/@otherValue` : null,
})
