// The processes of benchmarks: what they are started with, and what becomes of their results.
// Long: it builds a script and starts processes.

import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { benchProcesses } from '../../src/bench/bench-process'
import { builtScripts } from '../built-scripts'

const run = promisify(execFile)

const BENCHES = `
import { getHeapSpaceStatistics } from 'node:v8'
export const young = {
  name: 'young',
  pipeline() {
    // Every tenth object stays, so that V8 would double its young generation by default.
    const kept = []
    for (let n = 0; n < 2_000_000; n++) {
      const made = { n }
      if (n % 10 === 0) kept.push(made)
    }
    if (kept.length === 0) throw new Error('The objects are in use.')
    return getHeapSpaceStatistics().find(space => space.space_name === 'new_space').space_size
  },
}
export const dies = { name: 'dies', pipeline: () => process.exit(3) }
export const killed = { name: 'killed', pipeline: () => process.kill(process.pid, 'SIGKILL') }
export const endless = { name: 'endless', pipeline: () => new Promise(() => setInterval(() => {}, 1_000)) }
export const speaks = { name: 'speaks', pipeline: () => console.log('spoken') ?? 1 }
`

let folder: string
let file: string
beforeAll(async () => {
  folder = await builtScripts('bench-process', {
    'bench-child': 'src/bench/bench-child.ts',
    'bench-process': 'src/bench/bench-process.ts',
  })
  file = join(folder, 'young.bench.mjs')
  await writeFile(file, BENCHES)
}, 60_000)
afterAll(() => rm(folder, { recursive: true }))

const processes = () => benchProcesses(join(folder, 'bench-child.js'))

test('the young generation of a benchmark does not grow beyond its fixed size', async () => {
  const { count } = await processes().run(file, 'young')
  // Two halves of four megabytes, and the pages of V8 around them.
  expect(count).toBeLessThanOrEqual(10 * 2 ** 20)
})

test.each([
  ['dies', /ended with exit code 3/],
  ['killed', /ended with SIGKILL/],
  ['endless', /did not end within 3000 ms/],
])('a process that %s gives no result: BENCH_FAILED says how it ended', async (name, message) => {
  const limited = benchProcesses(join(folder, 'bench-child.js'), 3_000)
  await expect(limited.run(file, name)).rejects.toMatchObject({
    code: 'BENCH_FAILED',
    message: expect.stringMatching(message),
  })
})

test('what a benchmark prints stays out of standard output', async () => {
  const caller = `import { benchProcesses } from './bench-process.js'
await benchProcesses('${join(folder, 'bench-child.js')}').run('${file}', 'speaks')`
  await writeFile(join(folder, 'caller.mjs'), caller)
  const { stdout, stderr } = await run(process.execPath, [join(folder, 'caller.mjs')])
  expect({ stdout, stderr }).toEqual({ stdout: '', stderr: 'spoken\n' })
})
