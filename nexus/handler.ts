// The handler of the Nexus service: each operation is a run of the gateway's workflow.
import { startWorkflow, WorkflowRunOperationHandler } from '@temporalio/nexus'
import { type ServiceHandler, serviceHandler } from 'nexus-rpc'
import type { Job } from '../client/index.js'
import { type Asked, armatureOperation } from './contracts.js'
import { armature, type Inputs } from './service.js'

/** The request's id stays the same when Temporal repeats the request, so the run and the job are begun once. */
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
