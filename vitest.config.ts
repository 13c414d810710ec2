import { defineConfig } from 'vitest/config'

const common = { testTimeout: 60_000, hookTimeout: 180_000, pool: 'forks' } as const

/** Room for young objects, in MB: with V8's 16 a seventh of the processor time went into garbage collection. */
const execArgv = ['--max-semi-space-size=64']

/**
 * Files of one worker share what they import: loading it for each was a fifth of all time. They share no state. Three, because tests
 * wait for the stack and for their clocks: two left a quarter of two cores idle.
 */
const quick = { ...common, maxWorkers: 3, isolate: false, execArgv } as const

const withStack = { globalSetup: 'test/support/shared-stack.ts' } as const
const kills = { ...common, ...withStack, testTimeout: 240_000, maxWorkers: 1, fileParallelism: false } as const
const unitTests = 'test/**/*.unit.test.ts'

export default defineConfig({
  test: {
    reporters: ['default', './test/support/slowest-files.ts'],
    projects: [
      {
        // Needs no server and no program: `npm run test:unit`.
        test: { ...quick, name: 'unit', include: [unitTests], sequence: { groupOrder: 0 } },
      },
      {
        // Shares one running stack; each test file has tenants of its own. Of one group with the above: no worker waits for the last of those.
        test: {
          ...quick,
          ...withStack,
          name: 'main',
          include: ['test/**/*.test.ts'],
          exclude: [unitTests, 'test/clients/**', 'test/faults/**', 'test/long/**'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Generates clients in other languages, and builds them: `npm run clients`.
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
        test: { ...kills, name: 'faults', include: ['test/faults/*.test.ts'], sequence: { groupOrder: 2 } },
      },
      {
        // Takes minutes: for `npm run test:faults`, as the next project.
        test: {
          ...quick,
          ...withStack,
          name: 'main-long',
          include: ['test/long/*.test.ts'],
          sequence: { groupOrder: 3 },
        },
      },
      {
        // Kills processes, and takes minutes.
        test: { ...kills, name: 'faults-long', include: ['test/faults/long/*.test.ts'], sequence: { groupOrder: 4 } },
      },
    ],
  },
})
