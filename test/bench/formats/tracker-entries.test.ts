// What trackers read: each form gives back the figures of the report, whatever a benchmark is called
// and however long it takes.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BenchRun } from '../../../src/bench/bench-run'
import { benchText } from '../../../src/bench/formats/bench-text'
import { compared, measuredOnly } from '../made-bench-report'

const figure = (min: number, max: number) => fc.double({ min, max, noNaN: true })
const runs: fc.Arbitrary<BenchRun[]> = fc.array(
  fc.record({
    elapsedMs: figure(1e-3, 1e6),
    cpuMs: figure(1e-3, 1e6),
    peakRssBytes: figure(1e6, 1e11),
    count: fc.constant(1000),
    stages: fc.constant([]),
  }),
  { minLength: 1, maxLength: 30 },
)
const names = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('__proto__', '0', 'a "b"'))

interface Metric {
  readonly value: number
  readonly lower_value?: number
  readonly upper_value?: number
}

/** Equal up to the digits that a tracker shows. */
function near(value: number, expected: number): void {
  expect(Math.abs(value / expected - 1)).toBeLessThan(1e-5)
}

test('Bencher: the medians of each benchmark by its name, inside their intervals', () => {
  fc.assert(
    fc.property(names, runs, (name, made) => {
      const report = measuredOnly(name, made)
      const [bench] = report.benches
      const metrics = JSON.parse(benchText(report, 'bencher'))
      expect(Object.keys(metrics)).toEqual([name])
      const [ofBench] = Object.values<Record<string, Metric>>(metrics)
      const { latency, 'cpu-time': cpu, 'peak-memory': memory, ...rest } = ofBench!
      expect(rest).toEqual({})
      near(latency!.value, bench!.seconds * 1e9)
      near(cpu!.value, bench!.cpuSeconds * 1e9)
      near(memory!.value, bench!.peakRssMb * 1e6)
      for (const { value, lower_value, upper_value, ...more } of [latency!, cpu!, memory!]) {
        expect(more).toEqual({})
        expect([lower_value, upper_value].every(bound => typeof bound === 'number')).toBe(
          made.length > 1,
        )
        if (made.length === 1) continue
        expect(lower_value).toBeGreaterThanOrEqual(0)
        expect(lower_value).toBeLessThanOrEqual(value)
        expect(upper_value).toBeGreaterThanOrEqual(value)
      }
    }),
  )
})

test('customSmallerIsBetter: an entry for each measure, of which less is better', () => {
  fc.assert(
    fc.property(names, runs, (name, made) => {
      const report = measuredOnly(name, made)
      const [bench] = report.benches
      const entries = JSON.parse(benchText(report, 'github-smaller'))
      expect(entries.map(({ name, unit }: Record<string, unknown>) => [name, unit])).toEqual([
        [`${name} time`, 's'],
        [`${name} cpu`, 's'],
        [`${name} memory`, 'MB'],
      ])
      for (const [at, figure] of [bench!.seconds, bench!.cpuSeconds, bench!.peakRssMb].entries())
        near(entries[at].value, figure)
      for (const { range, extra } of entries) {
        expect(range).toMatch(/^±\d+\.\d\d%$/)
        expect(extra).toContain('a processor · 2 cores')
      }
    }),
  )
})

test('a comparison is in the extra text of each entry, in words', () => {
  const [entry] = JSON.parse(benchText(compared({ time: 1.2 }), 'github-smaller'))
  expect(entry.extra).toMatch(/^time: 0\.601 s, base 0\.50\d s, \+20\.0%, worse\n/)
  expect(entry.extra).toMatch(/^memory: 100 MB, base 100 MB, \+0\.0%, same within 0\.0%$/m)
})
