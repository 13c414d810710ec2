// Handles the operations of the Nexus service. Each one runs the gateway's workflow.
import { startWorkflow, WorkflowRunOperationHandler } from '@temporalio/nexus'
import { type ServiceHandler, serviceHandler } from 'nexus-rpc'
import type { Job } from '../client/index.js'
import { type Asked, armatureOperation } from './contracts.js'
import { armature, type Inputs } from './service.js'

/**
 * Creates the handler of an operation. Temporal repeats a request with the same id, so the workflow and the job start
 * only once.
 */
const running = <Name extends keyof Inputs>(operation: Name) =>
  new WorkflowRunOperationHandler<Inputs[Name], Job>((context, input) =>
    startWorkflow<(asked: Asked<Name>) => Promise<Job>>(context, armatureOperation, {
      workflowId: `armature-nexus/${operation}/${context.requestId}`,
      args: [{ operation, input, idempotencyKey: context.requestId }],
    }),
  )

export const handler: ServiceHandler = serviceHandler(armature, {
  upsertStructuralEntities: running('upsertStructuralEntities'),
  importStructuralEntities: running('importStructuralEntities'),
  importSubjects: running('importSubjects'),
  transferSubjects: running('transferSubjects'),
  refreshDataSet: running('refreshDataSet'),
  runExtract: running('runExtract'),
  waitForJob: running('waitForJob'),
})
