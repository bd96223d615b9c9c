// What a run of the tests says of those that it leaves out, seen from outside: in runs of Vitest
// over small test files.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { TOOLS } from './tools'
import { hasZstd } from './zstd'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '..')
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')
/** One small test file of each project. */
const FILES = ['test/engine/codec/secrets.test.ts', 'test/engine/diagnostics/log-to.test.ts']

test.each([
  ['all projects', []],
  ['one project', ['--project', 'alone']],
  ['the other project', ['--project', 'together']],
])(
  'a run of %s names each tool and server that is missing once',
  async (_, choice) => {
    const noTools = await mkdtemp(join(tmpdir(), 'feedmill-path-'))
    // Port 9 (discard) has no server on loopback.
    const noServer = 'redis://127.0.0.1:9'
    const noDatabase = 'postgres://127.0.0.1:9/none'
    const required = { FEEDMILL_REQUIRE_TOOLS: '0', FEEDMILL_REQUIRE_SERVICES: '0' }
    const env = {
      ...process.env,
      PATH: noTools,
      ...required,
      FEEDMILL_TEST_REDIS: noServer,
      FEEDMILL_TEST_POSTGRES: noDatabase,
    }
    const words = ['run', ...choice, ...FILES]
    const { stderr } = await run(process.execPath, [VITEST, ...words], { cwd: ROOT, env })
    const all = stderr.split('\n').filter(line => line.startsWith('LEFT OUT: '))
    const isService = (line: string) => line.includes('no server answers')
    expect(all.filter(isService)).toEqual([
      `LEFT OUT: rows in PostgreSQL, because no server answers at ${noDatabase} (FEEDMILL_TEST_POSTGRES).`,
      `LEFT OUT: queues in Redis, because no server answers at ${noServer} (FEEDMILL_TEST_REDIS).`,
    ])
    const isOfNode = (line: string) => line.includes('this Node')
    expect(all.filter(isOfNode)).toHaveLength(hasZstd ? 0 : 1)
    const lines = all.filter(line => !isService(line) && !isOfNode(line))
    const reasons = lines.map(line =>
      line.replace(/.*, because (.*) is not on this machine.*/, '$1'),
    )
    expect(reasons).toEqual(Object.keys(TOOLS).filter(tool => !existsSync(tool)))
    await rm(noTools, { recursive: true })
  },
  60_000,
)
