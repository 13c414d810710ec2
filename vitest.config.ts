import { defineConfig } from 'vitest/config'

const common = { testTimeout: 60_000, hookTimeout: 180_000, pool: 'forks' } as const

const sharedStack = {
  globalSetup: 'test/support/shared-stack.ts',
  maxWorkers: 2,
  // Files of one worker share what they import: loading it for each was a fifth of all time. They share no state.
  isolate: false,
}

export default defineConfig({
  test: {
    projects: [
      {
        // Everything that shares one running stack; each test file has tenants of its own.
        test: {
          ...common,
          name: 'main',
          include: ['test/**/*.test.ts'],
          exclude: ['test/faults/**', 'test/long/**', 'test/dev/start.test.ts'],
          ...sharedStack,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Kills processes: each file has a stack of its own. They wait more than they work, so two run at a time.
        test: {
          ...common,
          name: 'faults',
          include: ['test/faults/*.test.ts', 'test/dev/start.test.ts'],
          testTimeout: 240_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // What takes a minute by itself: only for `npm run test:faults`, like the next one.
        test: {
          ...common,
          name: 'main-long',
          include: ['test/long/*.test.ts'],
          ...sharedStack,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // Kills processes, and takes minutes.
        test: {
          ...common,
          name: 'faults-long',
          include: ['test/faults/long/*.test.ts'],
          testTimeout: 240_000,
          maxWorkers: 1,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
})
