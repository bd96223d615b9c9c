// The two forms are read by others: by github-action-benchmark, whose pattern for benchmark.js's
// lines this is.

import { expect, test } from 'vitest'
import { benchmarkText, biggerIsBetter } from '../../../bench/compare/head-speeds'
import { syntheticComparison } from './synthetic-comparison'

const BENCHMARK_JS_LINE = /^(.+) x ([0-9,.]+)\s+(\S+)\s+((?:±|\+-)[^%]+%) \((\d+) runs? sampled\)$/

const machine = {
  date: '2030-01-01T00:00:00.000Z',
  node: 'v20.20.2',
  cpu: 'a processor',
  cores: 2,
  platform: 'linux-x64',
}
const comparison = syntheticComparison({ time: 1.2, cpu: 1, rss: 1 })

test('an array of named values with their unit: by the clock and by the processor', () => {
  const entries = biggerIsBetter([comparison], { rawBytes: 60.06e6 }, machine)
  expect(entries.map(({ name, unit, value }) => ({ name, unit, value }))).toEqual([
    { name: 'objects', unit: 'MB/s', value: 100 },
    { name: 'objects per CPU second', unit: 'MB/s', value: 100 },
  ])
  for (const { range, extra } of entries) {
    expect(range).toMatch(/^±0\.\d\d%$/)
    expect(extra).toMatch(
      /time: 0\.601 s, base 0\.50\d s, \+20\.0%, worse\n.*\nrss: 100 MB, base 100 MB, .*\n.*Node v20\.20\.2 · a processor/,
    )
  }
  expect(
    biggerIsBetter(
      [syntheticComparison({ time: 1, cpu: 1.2, rss: 1 })],
      { rawBytes: 60.06e6 },
      machine,
    )[1]!.value,
  ).toBeCloseTo(83.33, 1)
})

test('the lines of benchmark.js', () => {
  const text = benchmarkText([comparison])
  expect(text.endsWith('\n')).toBe(true)
  const [, name, hz, unit, , runs] = BENCHMARK_JS_LINE.exec(text.trimEnd())!
  expect([name, hz, unit, runs]).toEqual(['objects', '1.67', 'ops/sec', '12'])
})
