// `npm run bench`: the cost of the platform above the bare work; each figure has its floor from the same run. It takes
// `-- --short` for a smaller run, and `-- <part>` for a part of `parts`. No figure decides anything.
import { connect } from '../db/connect.js'
import { startStack } from '../test/support/stack.js'
import { benchDataSets } from './data-sets.js'
import { benchEntityImport } from './entity-import.js'
import { benchExtractStorage } from './extract-storage.js'
import { benchExtracts } from './extracts.js'
import { benchForms } from './forms.js'
import { benchGlueEndpoint } from './glue-endpoint.js'
import { benchHierarchy } from './hierarchy.js'
import { line, scratchUrl } from './measure.js'
import { benchNeighbours } from './neighbours.js'
import { benchReads } from './reads.js'
import { benchStrangers } from './strangers.js'
import { benchSubjectImport } from './subject-import.js'
import { benchSubjects } from './subjects.js'
import { benchSweep } from './sweep.js'
import { benchSyncing } from './syncing.js'
import { benchTracing } from './tracing.js'
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
  'extract-storage': benchExtractStorage,
  strangers: benchStrangers,
  neighbours: benchNeighbours,
  sweep: benchSweep,
  tracing: benchTracing,
  webhooks: benchWebhooks,
  syncing: benchSyncing,
}
const short = process.argv.includes('--short')
const asked = process.argv.slice(2).filter(name => name in parts)

console.log('Starting database, Temporal, API and worker…')
const stack = await startStack()
const server = connect(stack.databaseUrl, { poolSize: 1 })
try {
  await server.raw('CREATE DATABASE IF NOT EXISTS ??', [
    new URL(scratchUrl(stack.databaseUrl, 'floor')).pathname.slice(1),
  ])
  line('', 'ours', 'floor', 'ratio', 'goal')
  for (const [name, part] of Object.entries(parts)) {
    if (asked.length === 0 || asked.includes(name)) await part(stack, short)
  }
} finally {
  await server.destroy()
  await stack.stop()
}
