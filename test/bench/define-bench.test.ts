// What a benchmark may be, and what one run of it gives.

import { expect, test } from 'vitest'
import { benchRun } from '../../src/bench/bench-run'
import { type Bench, defineBench } from '../../src/bench/define-bench'
import { FeedError } from '../../src/engine/errors'
import { pipeline, TsvRowParser } from '../../src/index'

const text = Buffer.from(`itemId\ttitle\n${'v1|1|0\tone\n'.repeat(50)}`)
const rows = () => pipeline([text]).to(new TsvRowParser())
const bench = (changed: Partial<Bench> = {}): Bench =>
  defineBench({ name: 'rows', pipeline: rows, ...changed })

test.each([
  [undefined, 'bench'],
  [{ name: '', pipeline: rows }, 'name'],
  [{ name: 'a' }, 'pipeline'],
  [{ name: 'a', pipeline: rows, bytes: 0 }, 'bytes'],
  [{ name: 'a', pipeline: rows, bytes: '7' }, 'bytes'],
  [{ name: 'a', pipeline: rows, check: true }, 'check'],
  [{ name: 'a', pipeline: rows, prepare: 1 }, 'prepare'],
  [{ name: 'a', pipelines: rows }, 'pipelines'],
])('%j is refused', (value, option) => {
  expect(() => defineBench(value as never)).toThrow(
    expect.objectContaining({
      code: 'OPTION_INVALID',
      context: expect.objectContaining({ option }),
    }),
  )
})

test('a pipeline is read to its end: rows, bytes, the counters of its stages', async () => {
  const run = await benchRun(bench())
  expect(run).toMatchObject({ count: 50, bytes: text.length })
  expect(run.stages.map(({ stage }) => stage)).toEqual(['source', 'TsvRowParser'])
  expect(run.elapsedMs).toBeGreaterThan(0)
  expect(run.peakRssBytes).toBeGreaterThan(20e6)
})

test('items count where they hold no rows', async () => {
  const numbers = bench({ pipeline: () => pipeline([1, 2, 3]) })
  expect((await benchRun(numbers)).count).toBe(3)
})

test('a function gives its count, and bytes are known only if they are stated', async () => {
  const run = await benchRun(bench({ pipeline: async () => 7 }))
  expect(run).toMatchObject({ count: 7, stages: [] })
  expect(run).not.toHaveProperty('bytes')
  expect((await benchRun(bench({ pipeline: () => 7, bytes: async () => 12 }))).bytes).toBe(12)
})

test.each([
  ['false', () => false, /returned false/],
  [
    'a throw',
    () => {
      throw new RangeError('too few')
    },
    /too few/,
  ],
  ['a rejection', () => Promise.reject(new RangeError('late')), /late/],
])('a wrong result is BENCH_RESULT_WRONG: %s', async (_, check, message) => {
  await expect(benchRun(bench({ check }))).rejects.toMatchObject({
    code: 'BENCH_RESULT_WRONG',
    message: expect.stringMatching(message),
    context: { bench: 'rows', count: 50 },
  })
})

test('a check that returns nothing is content', async () => {
  expect((await benchRun(bench({ check: ({ count }) => void count }))).count).toBe(50)
})

test('what the code throws names the benchmark, and a typed error keeps its code', async () => {
  const thrower = (error: Error) =>
    bench({
      pipeline: () => {
        throw error
      },
    })
  await expect(benchRun(thrower(new RangeError('no file')))).rejects.toMatchObject({
    code: 'BENCH_FAILED',
    context: { step: 'pipeline of rows', reason: 'no file' },
  })
  const typed = new FeedError('KEY_MISSING', 'no key', { column: 'itemId' })
  await expect(benchRun(thrower(typed))).rejects.toMatchObject({
    code: 'KEY_MISSING',
    message: 'pipeline of rows: no key',
  })
  await expect(benchRun(bench({ pipeline: () => 'x' as never }))).rejects.toMatchObject({
    code: 'OPTION_INVALID',
  })
})
