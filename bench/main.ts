// `npm run bench`: measures what the platform adds to the bare work. Each figure is printed with its floor from the
// same run. `-- --short` makes the run smaller, and `-- <part>` runs one of `parts`. The figures are for information:
// no run fails because of them.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from '../db/connect.js'
import { projectRoot } from '../runtime/process/version.js'
import { startStack } from '../test/support/stack.js'
import { benchAudit } from './audit.js'
import { benchCost } from './cost.js'
import { benchDataSets } from './data-sets.js'
import { benchEntityImport } from './entity-import.js'
import { benchExtracts } from './extracts.js'
import { benchForms } from './forms.js'
import { benchGlueEndpoint } from './glue-endpoint.js'
import { benchGrowth } from './growth.js'
import { benchHierarchy } from './hierarchy.js'
import { line, scratchUrl } from './measure.js'
import { benchNeighbours } from './neighbours.js'
import { benchOperators } from './operators.js'
import { benchReads } from './reads.js'
import { benchStrangers } from './strangers.js'
import { benchSubjectImport } from './subject-import.js'
import { benchSubjects } from './subjects.js'
import { benchSweep } from './sweep.js'
import { benchVitess } from './vitess.js'
import { benchWebhooks } from './webhooks.js'

const parts = {
  hierarchy: benchHierarchy,
  subjects: benchSubjects,
  import: benchSubjectImport,
  'import-entities': benchEntityImport,
  reads: benchReads,
  'data-sets': benchDataSets,
  glue: benchGlueEndpoint,
  forms: benchForms,
  extracts: benchExtracts,
  strangers: benchStrangers,
  neighbours: benchNeighbours,
  sweep: benchSweep,
  webhooks: benchWebhooks,
  audit: benchAudit,
  operators: benchOperators,
  cost: benchCost,
  growth: benchGrowth,
  vitess: benchVitess,
}
const short = process.argv.includes('--short')
const asked = process.argv.slice(2).filter(name => !name.startsWith('--'))
const unknown = asked.filter(name => !(name in parts))
if (unknown.length > 0)
  throw new Error(`No benchmark is named ${unknown.join(', ')}: give ${Object.keys(parts).join(', ')}`)

console.log('Starting database, Temporal, API and worker…')
/**
 * Where the data of the growth benchmark are kept. It takes hours and is therefore not among the parts that run by
 * default.
 */
const keptIn = join(projectRoot, '.data', 'growth')
const keeps = asked.includes('growth') && !short
if (keeps) await mkdir(keptIn, { recursive: true })
// A fixed key, so that this run can open secrets that an earlier one sealed.
const kept = { ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') }
const stack = await (keeps ? startStack(kept, { keptIn }) : startStack())
const server = connect(stack.databaseUrl, { poolSize: 1 })
try {
  await server.raw('CREATE DATABASE IF NOT EXISTS ??', [
    new URL(scratchUrl(stack.databaseUrl, 'floor')).pathname.slice(1),
  ])
  line('', 'ours', 'floor', 'ratio', 'goal')
  for (const [name, part] of Object.entries(parts)) {
    const isMeant = asked.length === 0 ? part !== benchVitess && (short || part !== benchGrowth) : asked.includes(name)
    if (!isMeant) continue
    const started = performance.now()
    await part(stack, short)
    console.log(`(${name}: ${((performance.now() - started) / 1_000).toFixed(0)} s)`)
  }
} finally {
  await server.destroy()
  await stack.stop()
}
