// Test projects: what runs with which command, and what shares a stack.
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { patience } from './test/support/patience.js'

const root = dirname(fileURLToPath(import.meta.url))
const tests = join(root, 'test', sep)

/**
 * Gives tests the built code, as the processes of the stack have it: `npm test` builds it before. Node loads it by itself; a
 * tenth of all time was its second compilation.
 */
const builtCode: Plugin = {
  name: 'built-code',
  enforce: 'pre',
  resolveId(source, importer) {
    if (!source.startsWith('.') || !source.endsWith('.js') || !importer?.startsWith(tests)) return undefined
    const file = join(dirname(importer), source)
    if (file.startsWith(tests)) return undefined
    return join(root, 'dist', relative(root, file))
  },
}

const plugins = [builtCode]

const common = {
  // Room for objects, in MB, young ones first. With V8's own limits garbage collection took two fifths of the workers' processor time:
  // it began anew with every 64 MB of request bodies, and then had all modules of all files to look through.
  execArgv: [
    '--max-semi-space-size=64',
    '--initial-old-space-size=512',
    '--external-memory-accounted-in-global-limit',
    '--enable-source-maps',
  ],
  testTimeout: 60_000 * patience,
  // As long as a slow machine takes: timings never decide a test.
  expect: { poll: { timeout: 20_000 * patience } },
  hookTimeout: 180_000 * patience,
  pool: 'forks' as const,
  server: { deps: { external: [/\/dist\//] } },
}

/**
 * Files of one worker share what they import: loading it for each was a fifth of all time. They share no state. Four, because tests
 * wait for the stack and for their clocks: three left a twentieth of two cores idle, two a quarter.
 */
const quick = { ...common, maxWorkers: 4, isolate: false }

/** Files that take longest. By their sizes, which is all that is known in a fresh clone, they would be the last. */
const slow = ['platform/statement-counts', 'glue/data-set-retried', 'admin/tenant-deletion', 'admin/tenant-archive']
const isSlow = ({ moduleId }: TestSpecification) => slow.some(name => moduleId.endsWith(`/test/${name}.test.ts`))

/** Begins with the slow files, so that nothing waits for one of them alone at the end. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => Number(isSlow(b)) - Number(isSlow(a)))
  }
}

const withStack = { globalSetup: 'test/support/shared-stack.ts' }
const kills = { ...common, ...withStack, testTimeout: 600_000 * patience, maxWorkers: 1, fileParallelism: false }
const unitTests = 'test/**/*.unit.test.ts'

export default defineConfig({
  test: {
    sequence: { sequencer: SlowFirst },
    reporters: ['default', './test/support/slowest-files.ts'],
    projects: [
      {
        // Needs no server and no program: `npm run test:unit`.
        plugins,
        test: { ...quick, name: 'unit', include: [unitTests], sequence: { groupOrder: 0 } },
      },
      {
        // Shares one running stack; each test file has tenants of its own. Of one group with the above: no worker waits for the last of those.
        plugins,
        test: {
          ...quick,
          ...withStack,
          name: 'main',
          include: ['test/**/*.test.ts'],
          exclude: [unitTests, 'test/clients/**', 'test/faults/**', 'test/hostile/**', 'test/long/**'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Input made to hurt, on a stack of its own: `npm run test:hostile`.
        plugins,
        test: {
          ...quick,
          ...withStack,
          name: 'hostile',
          include: ['test/hostile/*.test.ts'],
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Generates clients in other languages, and builds them: `npm run clients`.
        plugins,
        test: {
          ...quick,
          ...withStack,
          testTimeout: 600_000,
          name: 'clients',
          include: ['test/clients/*.test.ts'],
          sequence: { groupOrder: 5 },
        },
      },
      {
        // Kills processes of its stack, one file at a time: for `npm run test:faults`, its short form too.
        plugins,
        test: { ...kills, name: 'faults', include: ['test/faults/*.test.ts'], sequence: { groupOrder: 2 } },
      },
      {
        // Takes minutes: for `npm run test:faults`, as the next project.
        plugins,
        test: {
          ...quick,
          ...withStack,
          testTimeout: 600_000 * patience,
          name: 'main-long',
          include: ['test/long/*.test.ts'],
          sequence: { groupOrder: 3 },
        },
      },
      {
        // Kills processes, and takes minutes.
        plugins,
        test: { ...kills, name: 'faults-long', include: ['test/faults/long/*.test.ts'], sequence: { groupOrder: 4 } },
      },
    ],
  },
})
