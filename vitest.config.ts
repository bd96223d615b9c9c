import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/** Folders whose tests start no process, change nothing global and look at nothing that belongs to the process as a whole. */
const FOLDERS = [
  'bench',
  'codec',
  'documents',
  'emulator',
  'pipeline',
  'schema',
  'service',
  'service-table',
  'sinks',
  'state',
]

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.test.ts'))
  .map(path => `test/${path}`)
const together = files.filter(sharesProcess)
const alone = files.filter(path => !sharesProcess(path))

/**
 * Loading the sources once for many tests halves the time of a run. A test that replaces a module needs a process of its own:
 * a shared one has loaded the module already.
 */
function sharesProcess(path: string): boolean {
  return (
    FOLDERS.some(folder => path.startsWith(`test/${folder}/`)) &&
    !readFileSync(path, 'utf8').includes('vi.mock(')
  )
}

const shared = {
  pool: 'forks' as const,
  execArgv: ['--expose-gc'],
  maxWorkers: '100%',
  testTimeout: 60_000,
  teardownTimeout: 5_000,
}

export default defineConfig({
  test: {
    ...shared,
    // Vitest runs the set-up of the root in every run. A project that extended the root would run it once more.
    globalSetup: ['src/wasm/build.mjs', 'test/left-out.ts'],
    projects: [
      { test: { ...shared, name: 'together', include: together, isolate: false } },
      {
        test: {
          ...shared,
          name: 'alone',
          include: alone,
          typecheck: {
            enabled: true,
            include: ['test/**/*.test-d.ts'],
            tsconfig: './tsconfig.json',
          },
        },
      },
    ],
  },
})
