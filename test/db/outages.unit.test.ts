// Which errors count as an outage of the database.
import { expect, test } from 'vitest'
import { isOutage } from '../../db/errors.js'

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
