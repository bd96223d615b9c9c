import { defineConfig } from 'vitest/config'

/**
 * Tests that share a process with others: they start no process, replace no global and look at nothing that
 * belongs to the process as a whole. Loading the sources once for all of them halves the time of a run.
 */
const TOGETHER = ['bench', 'codec', 'emulator', 'pipeline', 'schema', 'service', 'service-table', 'sinks', 'state'].map(
  folder => `test/${folder}/**/*.test.ts`,
)

export default defineConfig({
  test: {
    globalSetup: ['src/wasm/build.mjs', 'test/left-out.ts'],
    pool: 'forks',
    execArgv: ['--expose-gc'],
    maxWorkers: '100%',
    testTimeout: 60_000,
    teardownTimeout: 5_000,
    projects: [
      { extends: true, test: { name: 'together', include: TOGETHER, isolate: false } },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ['test/**/*.test.ts'],
          exclude: TOGETHER,
          typecheck: { enabled: true, include: ['test/**/*.test-d.ts'], tsconfig: './tsconfig.json' },
        },
      },
    ],
  },
})
