// Steps of a job, each of which begins while the one before it is written.
import type { TenantId } from '../../db/connect.js'
import type { StepAhead } from '../../db/jobs/advance.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import { doSteps, type StepDependencies } from './do-steps.js'

/** The steps of a job from its place on. */
export interface Course {
  /** Does the next step. @param isLast no other one follows it. @returns `isOver`: the place of the job is looked up anew. */
  next(isLast: boolean): Promise<{ progress: JobProgress; isOver: boolean }>
  /** Takes back the step that was begun and not done. */
  end(): Promise<void>
}

/** A step that has begun. */
interface BegunStep {
  step: StepAhead
  /** Items that it does. */
  items: number
  /** No other step follows it. */
  isEnd: boolean
}

/**
 * Does the next steps of a job, course after course, see {@link doSteps}.
 * @param open begins a course at the place of the job.
 */
export async function doCourses(
  dependencies: StepDependencies,
  input: StepsInput,
  open: (tenant: TenantId) => Promise<Course>,
): Promise<JobProgress> {
  let course: Course | undefined
  try {
    return await doSteps(dependencies, input, async tenant => ({
      async next(isLast) {
        course ??= await open(tenant)
        const { progress, isOver } = await course.next(isLast)
        if (isOver) {
          await course.end()
          course = undefined
        }
        return progress
      },
    }))
  } finally {
    await course?.end()
  }
}

/**
 * A course of steps that begin one ahead.
 * @param done items before it.
 * @param begin begins the next step. It calls `readOn` where the one after it may begin.
 */
export function stepsAhead(done: number, begin: (readOn: () => void) => Promise<BegunStep>): Course {
  let ahead: ReturnType<typeof begun> | undefined
  let isEnded = false
  async function begun() {
    let readOn: () => void = () => undefined
    const isAtWork = new Promise<void>(resolve => {
      readOn = resolve
    })
    return { ...(await begin(readOn)), isAtWork }
  }
  return {
    async next(isLast) {
      const { step, items, isEnd, isAtWork } = await (ahead ?? begun())
      ahead = undefined
      if (!isLast && !isEnd)
        isAtWork.then(() => {
          if (isEnded) return
          ahead = begun()
          // Its failure counts when its turn comes.
          ahead.catch(() => undefined)
        })
      const progress = await step.commit()
      const isNext = progress.done === done + items
      done = progress.done
      return { progress, isOver: isEnd || !isNext }
    },
    async end() {
      isEnded = true
      const next = await ahead?.catch(() => undefined)
      await next?.step.giveUp()
    },
  }
}
