// Refuses workflow input that is not sealed for its run.
import { ApplicationFailure, type WorkflowInterceptors, workflowInfo } from '@temporalio/workflow'

/** As runtime/payload-codec.ts has it. */
const refusedMember = 'armature-refused'

/** Why input was refused; undefined where it was sealed for this run. */
function refusalIn([input]: unknown[]): string | undefined {
  const why: unknown = Object(input)[refusedMember]
  return typeof why === 'string' ? why : undefined
}

/**
 * Interceptors of every workflow. A run whose input was not sealed for it fails at its first task. A run from before
 * the upgrade goes on with TEMPORAL_ACCEPT_UNBOUND. A signal that was not sealed for the run is ignored.
 */
export const interceptors = (): WorkflowInterceptors => ({
  inbound: [
    {
      async execute(input, next) {
        const why = refusalIn(input.args)
        if (why === undefined) return next(input)
        if (workflowInfo().unsafe.isReplaying) throw new Error(why)
        throw ApplicationFailure.nonRetryable(why, 'input-refused')
      },
      async handleSignal(input, next) {
        if (refusalIn(input.args) === undefined) await next(input)
      },
    },
  ],
})
