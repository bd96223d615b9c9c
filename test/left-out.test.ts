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

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '..')
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')
/** One small test file of each project. */
const FILES = ['test/codec/crc-table.test.ts', 'test/bench/statistics/median.test.ts']

test.each([
  ['all projects', []],
  ['one project', ['--project', 'alone']],
  ['the other project', ['--project', 'together']],
])(
  'a run of %s names each tool that is missing once',
  async (_, choice) => {
    const noTools = await mkdtemp(join(tmpdir(), 'feedmill-path-'))
    const env = {
      ...process.env,
      PATH: noTools,
      FEEDMILL_REQUIRE_TOOLS: '0',
      FEEDMILL_REQUIRE_SERVICES: '0',
      FEEDMILL_TEST_POSTGRES: 'postgres://127.0.0.1:1/none',
    }
    const words = ['run', '--typecheck.enabled=false', ...choice, ...FILES]
    const { stderr } = await run(process.execPath, [VITEST, ...words], { cwd: ROOT, env })
    const leftOut = stderr.split('\n').filter(line => line.startsWith('LEFT OUT: '))
    const lines = leftOut.filter(line => line.includes('is not on this machine'))
    const reasons = lines.map(line =>
      line.replace(/.*, because (.*) is not on this machine.*/, '$1'),
    )
    expect(reasons).toEqual(Object.keys(TOOLS).filter(tool => !existsSync(tool)))
    const services = leftOut.filter(line => line.includes('does not answer'))
    expect(services).toEqual([
      expect.stringContaining('postgres does not answer at postgres://127.0.0.1:1/none'),
    ])
    await rm(noTools, { recursive: true })
  },
  60_000,
)
