// Endpoints that extract a subject's instance of a form.
import Type, { type Static } from 'typebox'
import { selectionFaults } from '../../../db/forms/extracts/definition-faults.js'
import type { ExtractStores } from '../../../db/forms/extracts/extract-results.js'
import { type ReportedInstance, reportedInstance, subjectExtract } from '../../../db/forms/extracts/subject-extract.js'
import { firstFaults, invalid } from '../../../runtime/problems/problem.js'
import type { WithoutFaults } from '../../../runtime/schema/without-faults.js'
import { type Answer, type Endpoint, endpoint } from '../../endpoint.js'
import { Guid, Id } from '../../schema/guid.js'
import { Selections } from './extract-body.js'
import { FormResult } from './extract-shapes.js'

const Narrowed = Type.Object(
  { definitions: Selections('The building blocks to return, each once.') },
  { $id: 'SubjectExtractRequest', examples: [{ definitions: [{ key: 'phq9', controlIds: ['score'] }] }] },
)
type Narrowed = Static<typeof Narrowed>

const faultsOf = ({ template }: ReportedInstance, { definitions }: WithoutFaults<Narrowed>) =>
  firstFaults(selectionFaults(template.buildingBlocks, definitions, '/definitions'))

const InstancePath = Type.Object({ subjectIdentifier: Id, instance: Guid })

const common = {
  tag: 'Extracts',
  scopes: ['FormsApi'],
  unauthenticated: 403,
  permission: 'RunExtractsAndReports',
  path: '/api/v2.0/extract/subject/:subjectIdentifier/instance/:instance',
  params: InstancePath,
  answers: { 200: FormResult },
} as const

/** Creates the endpoints that extract one instance (spec forms "Subject instance extract"). */
export const subjectExtractRoutes = (stores: ExtractStores): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'extractInstance',
    readsPeople: true,
    summary: "The submitted answers of a subject's form instance, from its latest complete version",
    description:
      'Returns the answers of one instance as a form extract shows them, from its latest complete version. While it is amended, that is the version before. An instance that was never completed, or is withdrawn, is 404.',
    method: 'get',
    async handle({ params, caller: { tenantId } }) {
      return json(await subjectExtract(stores, tenantId, await reportedInstance(stores, tenantId, namedIn(params))))
    },
  }),

  endpoint({
    ...common,
    operationId: 'extractFromInstance',
    readsPeople: true,
    summary: "The submitted answers of a subject's form instance, limited to some building blocks and controls",
    description:
      'Does the same as extractInstance for the building blocks and controls that the body names. It only reads, and may be repeated. A block or control that the form does not have is 400, and each is named.',
    method: 'post',
    body: Narrowed,
    // An instance that does not exist is 404, whether or not the body is valid.
    dryPlan: {
      async check(body: WithoutFaults<Narrowed>, { tenantId }, params) {
        return faultsOf(await reportedInstance(stores, tenantId, namedIn(params)), body)
      },
    },
    async handle({ params, body, caller: { tenantId } }) {
      const instance = await reportedInstance(stores, tenantId, namedIn(params))
      const faults = faultsOf(instance, body)
      if (faults.length > 0) throw invalid(faults)
      return json(await subjectExtract(stores, tenantId, instance, body.definitions))
    },
  }),
]

const namedIn = ({ subjectIdentifier = '', instance = '' }: Record<string, string>) => ({
  id: instance,
  patient: subjectIdentifier,
})

/** Answers with a text that is already JSON. */
const json = (body: string): Answer => ({
  status: 200,
  body,
  headers: { 'Content-Type': 'application/json; charset=utf-8' },
})
