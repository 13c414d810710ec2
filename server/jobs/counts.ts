// Counts the jobs of a day by hour, of a tenant or of all.
import type { Knex } from 'knex'
import Type from 'typebox'
import { timeOf } from '../../db/clock.js'
import { jobsByHour, type Whose } from '../../db/jobs/job-list.js'
import { jobStatuses } from '../../db/jobs/job-row.js'
import { type Answer, ok } from '../endpoint.js'

const hourMs = 3_600_000

export const JobCounts = Type.Object(
  {
    from: Type.String({
      format: 'date-time',
      description: 'When the first hour begins, 23 hours before the present one.',
    }),
    hours: Type.Array(
      Type.Object({
        hour: Type.String({ format: 'date-time', description: 'When it begins.' }),
        status: Type.Enum([...jobStatuses], { description: 'What the jobs are now.' }),
        jobs: Type.Integer({ description: 'How many of those that were accepted within the hour.' }),
      }),
      { description: 'In order of time. Hours and statuses without jobs are left out.' },
    ),
  },
  // The generated client in Python calls the counts of one job JobCounts.
  { $id: 'CountedJobs' },
)

/** What the count has, for descriptions. */
export const countedHours =
  'Counts the jobs that were accepted within the last 24 hours, by hour and by what has become of them until now.'

/** Answers with the jobs of the last 24 hours. */
export async function countJobs(db: Knex, whose: Whose): Promise<Answer> {
  const now = await timeOf(db)
  const from = new Date(Math.floor(now.getTime() / hourMs) * hourMs - 23 * hourMs)
  return ok({ from: from.toISOString(), hours: await jobsByHour(db, whose, from) })
}
