// Endpoints for the extract definitions of forms and building blocks.
import Type, { type Static } from 'typebox'
import type { ExtractStores } from '../../../db/forms/extracts/extract-results.js'
import { blockExtractDefinition, formExtractDefinition } from '../../../forms/extracted.js'
import { type Endpoint, endpoint, ok } from '../../endpoint.js'
import { publishedBlock, publishedForm, Version } from '../templates/published-version.js'
import { BlockExtractDefinition, FormExtractDefinition } from './extract-shapes.js'

const common = { tag: 'Extracts', scopes: ['FormsApi'], unauthenticated: 403, method: 'get' } as const

/**
 * Creates the endpoints that describe what extracts of a form or building block contain (spec forms "Extract definition
 * APIs").
 */
export const extractDefinitionRoutes = ({ db, forms }: ExtractStores): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'getFormExtractDefinition',
    summary: 'Contents of the extracts of a form: building blocks, controls, and the type of their values',
    description:
      "Describes what an extract of this version of a form returns, before there are any answers. `extractValueType` is the type of a control's values where it is answered; an unanswered one has the type `empty`. Only versions in production can be extracted, and these never change, so the answer may be stored.",
    path: '/api/v2.0/extract/formdefinition/:formKey/:formVersion',
    params: Type.Object({ formVersion: Version }),
    answers: { 200: FormExtractDefinition },
    async handle({ params: { formKey = '', formVersion }, caller }) {
      const template = await publishedForm(forms, caller.tenantId, formKey, formVersion)
      return ok(formExtractDefinition(template) satisfies Static<typeof FormExtractDefinition>)
    },
  }),

  endpoint({
    ...common,
    operationId: 'getBuildingBlockExtractDefinition',
    summary: 'Contents of the extracts of a building block: controls, and the type of their values',
    description:
      "Describes what an extract of this version of a building block returns, whichever forms it is part of. `extractValueType` is the type of a control's values where it is answered. A block is found once a form with it is in production, and never changes then.",
    path: '/api/v2.0/extract/buildingblockdefinition/:key/:version',
    params: Type.Object({ version: Version }),
    answers: { 200: BlockExtractDefinition },
    async handle({ params: { key = '', version }, caller }) {
      const block = await publishedBlock(db, caller.tenantId, key, version)
      return ok(blockExtractDefinition(block) satisfies Static<typeof BlockExtractDefinition>)
    },
  }),
]
