// The filter of lists of jobs, in queries.
import Type from 'typebox'
import type { JobFilter } from '../../db/jobs/job-list.js'
import { jobStatuses } from '../../db/jobs/job-row.js'
import { invalid } from '../../runtime/problems/problem.js'
import { jobKinds } from '../../workflows/jobs/contracts.js'
import { inQuery } from '../paging.js'
import { moment, readRange } from '../time-range.js'

/** The parameters by which jobs are filtered. */
export const jobFilter = {
  Kind: Type.Optional(Type.Array(Type.Enum([...jobKinds]))),
  Status: Type.Optional(Type.Array(Type.Enum([...jobStatuses]))),
  DataSet: Type.Optional(Type.Array(Type.String({ description: 'Refreshes of these data sets.' }))),
  AcceptedFrom: moment('Inclusive.'),
  AcceptedTo: moment('Exclusive.'),
}

const Filter = Type.Object(jobFilter)
export type FilterQuery = Type.Static<typeof Filter>

/** Reads the filter of a query. @throws Problem 400 for times that are none, or in the wrong order. */
export function readJobFilter(query: FilterQuery): JobFilter {
  const accepted = readRange(query, 'Accepted', inQuery)
  if (accepted.faults.length > 0) throw invalid(accepted.faults)
  return {
    kinds: query.Kind,
    statuses: query.Status,
    dataSets: query.DataSet,
    acceptedFrom: accepted.from,
    acceptedTo: accepted.to,
  }
}
