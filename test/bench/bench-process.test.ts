// The processes of benchmarks: what they are started with, and what becomes of their results.
// Long: it builds a script and starts processes.

import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { benchProcesses } from '../../src/bench/bench-process'
import { builtScripts } from '../built-scripts'

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
`

let folder: string
let file: string
beforeAll(async () => {
  folder = await builtScripts('bench-process', { 'bench-child': 'src/bench/bench-child.ts' })
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

test('a process that ends without a result is a BENCH_FAILED that says how it ended', async () => {
  await expect(processes().run(file, 'dies')).rejects.toMatchObject({
    code: 'BENCH_FAILED',
    message: expect.stringContaining('ended with exit code 3'),
  })
})
