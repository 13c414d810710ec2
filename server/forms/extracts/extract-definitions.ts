// Endpoints for the extract definitions of forms and building blocks.
import Type, { type Static } from 'typebox'
import type { ExtractStores } from '../../../db/forms/extracts/extract-results.js'
import { blockExtractDefinition, formExtractDefinition } from '../../../forms/extracted.js'
import { type Endpoint, endpoint, ok } from '../../endpoint.js'
import { publishedBlock, publishedForm, Version } from '../templates/published.js'
import { BlockExtractDefinition, FormExtractDefinition } from './extract-shapes.js'

const common = { tag: 'Extracts', scopes: ['FormsApi'], unauthenticated: 403, method: 'get' } as const

/** Spec forms "Extract definition APIs": what extracts show of a form or building block, before anything is submitted. */
export const extractDefinitionRoutes = ({ db, forms }: ExtractStores): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'getFormExtractDefinition',
    summary: 'The part of a form that extracts show: building blocks, controls, and the type of their values',
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
    summary: 'The part of a building block that extracts show: controls, and the type of their values',
    path: '/api/v2.0/extract/buildingblockdefinition/:key/:version',
    params: Type.Object({ version: Version }),
    answers: { 200: BlockExtractDefinition },
    async handle({ params: { key = '', version }, caller }) {
      const block = await publishedBlock(db, caller.tenantId, key, version)
      return ok(blockExtractDefinition(block) satisfies Static<typeof BlockExtractDefinition>)
    },
  }),
]
