// What errors of the database mean: an outage, or a step of the schema that was done before.
import { expect, test } from 'vitest'
import { isOutage } from '../../db/errors.js'
import { wasDone } from '../../db/migrations/index.js'

/** An error as mysql2 and knex give it. */
const failed = (errno: number, sqlMessage: string, code = 'ER_UNKNOWN_ERROR') =>
  Object.assign(new Error(`select 1 - ${sqlMessage}`), { code, errno, sqlMessage })

// As VTGate said them when the MySQL behind it was killed.
test.each([
  [
    1105,
    `target: armature.0.primary: no healthy tablet available for 'keyspace:"armature" shard:"0" tablet_type:PRIMARY'`,
  ],
  [1105, 'target: tenants.-80.primary: primary is not serving, there is a reparent operation in progress'],
  [
    1105,
    'target: t.80-.primary: vttablet: rpc error: code = ClusterEvent desc = operation not allowed in state NOT_SERVING',
  ],
  [2013, 'target: armature.0.primary: vttablet: rpc error: code = Canceled desc = EOF (errno 2013) (sqlstate HY000)'],
])('error %d of Vitess is an outage: %s', (errno, said) => {
  expect(isOutage(failed(errno, said, errno === 2013 ? '' : 'ER_UNKNOWN_ERROR'))).toBe(true)
})

test.each([
  [1105, 'target: tenants.80-.primary: vttablet: rpc error: code = InvalidArgument desc = missing bind var d_key'],
  [1105, "syntax error at position 35 near 'target: x no healthy tablet available'"],
])('error %d of Vitess is none: %s', (errno, said) => expect(isOutage(failed(errno, said))).toBe(false))

const ofShard = (shard: string, said: string) =>
  `target: tenants.${shard}.primary: vttablet: rpc error: code = Unknown desc = ${said}`
const exists = "Table 'jobs' already exists (errno 1050) (sqlstate 42S01)"
test.each([
  ['on one server', "Table 'jobs' already exists", true],
  ['on each shard', `${ofShard('-80', exists)}\n${ofShard('80-', exists)}`, true],
  ['on a shard, and now on the others', ofShard('80-', exists), true],
  [
    'on a shard, while another has no space',
    `${ofShard('-80', exists)}\n${ofShard('80-', 'disk full (errno 1114) (sqlstate HY000)')}`,
    false,
  ],
  [
    'on a shard, while another is away',
    `${ofShard('-80', exists)}\ntarget: tenants.80-.primary: no healthy tablet available`,
    false,
  ],
])('a step that was done %s', (_, said, isDone) =>
  expect(wasDone(failed(1050, said, 'ER_TABLE_EXISTS_ERROR'))).toBe(isDone),
)
