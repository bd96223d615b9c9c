import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { posix } from 'node:path'
import { defineConfig, type Plugin } from 'vitest/config'
import { pastDoors } from './tsup.config.ts'

/**
 * A test that replaces a module, measures memory, or looks at the process as a whole needs a process
 * of its own. A test that changes a property of the process and then restores it does not. A line
 * that starts with `// Alone: ` says of any other test why it needs one.
 */
const NEEDS_OWN_PROCESS =
  /\bvi\.(?:mock|doMock|resetModules)|\bgc\b|\bprocess\.(?!execPath|env\b|pid|platform|kill|exit\(|argv|version|getuid|on\(|off\(|cwd|chdir|std(?:in|out|err)|exitCode|[jt]s\b)|from '\S*(?:built|packed-package)'|^\/\/ Alone: /m

/**
 * `npm run test:quick` leaves out a file that matches, and a file one of whose helpers matches.
 * Such a file starts processes, opens sockets, or has a line that starts with `// Long: `, which
 * says why the file takes long.
 */
const NOT_QUICK = /from 'node:(?:child_process|https?|net|tls)'|\.listen\(|^\/\/ Long: /m

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.test.ts'))
  .map(path => `test/${path}`)

/** `npm run test:measured` runs the tests that compare times. All other runs leave them out. */
const MEASURED = 'test/measured/'

/**
 * `npm run check:runtimes` runs these under Node 22 and 24: a line that starts with `// Newer Node: `
 * says what the oldest Node of feedmill does not have.
 */
const NEEDS_NEWER_NODE = /^\/\/ Newer Node: /m

/** Loading the sources once for many tests halves the time of a run. */
function sharesProcess(path: string): boolean {
  return !NEEDS_OWN_PROCESS.test(readFileSync(path, 'utf8'))
}

function isQuick(path: string, seen = new Set<string>()): boolean {
  if (seen.has(path)) return true
  seen.add(path)
  const text = readFileSync(path, 'utf8')
  return (
    !NOT_QUICK.test(text) &&
    [...text.matchAll(/from '(\.[^']*)'/g)]
      .map(([, name]) => posix.join(posix.dirname(path), `${name}.ts`))
      .filter(helper => helper.startsWith('test/') && existsSync(helper))
      .every(helper => isQuick(helper, seen))
  )
}

const isSource = (id: string) => /\/src\/.*\.ts$/.test(id)

/** Leads imports through the doors of `src/` to the modules behind them, as the build does. */
const roomsApart: Plugin = {
  name: 'rooms-apart',
  enforce: 'pre',
  transform: (code, id) => (isSource(id) ? { code: pastDoors(code, id), map: null } : undefined),
  // What a source becomes depends on the doors that it imports through, which its text does not show.
  configureVitest: ({ experimental_defineCacheKeyGenerator }) =>
    experimental_defineCacheKeyGenerator(({ id, sourceCode }) =>
      isSource(id) ? pastDoors(sourceCode, id) : undefined,
    ),
}

const shared = {
  pool: 'forks' as const,
  execArgv: ['--expose-gc'],
  setupFiles: ['test/seed.ts'],
  // Some tests wait for processes and servers.
  maxWorkers: availableParallelism() + 1,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  teardownTimeout: 5_000,
  // The two projects transform each module once, and the next run only what has changed.
  experimental: { fsModuleCache: true, fsModuleCachePath: '.tmp/vitest' },
}

export default defineConfig(({ mode }) => {
  const isChosen: Record<string, (path: string) => boolean> = {
    quick: isQuick,
    newer: path => NEEDS_NEWER_NODE.test(readFileSync(path, 'utf8')),
  }
  const chosen = files.filter(path =>
    mode === 'measured'
      ? path.startsWith(MEASURED)
      : !path.startsWith(MEASURED) && (isChosen[mode]?.(path) ?? true),
  )
  return {
    test: {
      ...shared,
      // Vitest runs the set-up of the root in every run. A project that extended the root would
      // run it once more.
      globalSetup: ['src/engine/wasm/build.mjs', 'test/left-out.ts'],
      projects: [
        {
          plugins: [roomsApart],
          test: {
            ...shared,
            name: 'together',
            include: chosen.filter(sharesProcess),
            isolate: false,
          },
        },
        {
          plugins: [roomsApart],
          test: {
            ...shared,
            name: 'alone',
            include: chosen.filter(path => !sharesProcess(path)),
          },
        },
      ],
    },
  }
})
