// The formats. Two of them are read by others: the pattern for the lines of benchmark.js is that of
// github-action-benchmark.

import { expect, test } from 'vitest'
import { benchText } from '../../../src/bench/formats/bench-text'
import { percent, signed } from '../../../src/bench/formats/words'
import { compared, measuredOnly } from '../made-bench-report'

test('a table of figures, with the shares of the stages', () => {
  const [machine, way, empty, heading, line, ...rest] = benchText(measuredOnly(), 'table').split(
    '\n',
  )
  expect([machine, empty, rest]).toEqual([
    '2030-01-01T00:00:00.000Z · Node v20.20.2 · a processor · 2 cores · linux-x64',
    '',
    [],
  ])
  expect(way).toBe('medians of 12 runs of each benchmark, each in a fresh process')
  expect(heading).toMatch(/^benchmark +MB\/s +count\/s +s +spread +CPU s +peak MB +stages$/)
  expect(line).toMatch(
    /^objects +119\.\d +199\d +0\.50\d +0\.2% +0\.60\d +100 +read 25\.0%, parse 75\.0%$/,
  )
})

test('a table of a comparison: a line for each measure, with its unit and its verdict', () => {
  const lines = benchText(compared({ time: 1.2, memory: 0.8 }), 'table').split('\n')
  const [heading, time, cpu, memory] = lines.slice(-4)
  expect(heading).toMatch(/^benchmark +base +head +change +96\.7% interval +A\/A noise +verdict$/)
  expect(time).toMatch(
    /^objects time +0\.50\d s +0\.601 s +\+20\.0% +\+19\.\d% to \+20\.\d% +0\.\d% +WORSE$/,
  )
  expect(cpu).toMatch(/^objects cpu +0\.601 s +0\.601 s .*%$/)
  expect(memory).toMatch(/^objects memory +100 MB +80 MB +−20\.0% .* better$/)
})

test('a baseline and benchmarks that were left out are said', () => {
  const report = compared({})
  const against = { ...report.against!, kind: 'baseline' as const, leftOut: ['new: no such file'] }
  const text = benchText({ ...report, against }, 'table')
  expect(text).toContain('the state of the machine may have changed')
  expect(text).toContain('not compared: new: no such file')
})

test('JSON is the whole report', () => {
  const report = compared({ cpu: 1.2 })
  expect(JSON.parse(benchText(report, 'json'))).toEqual(JSON.parse(JSON.stringify(report)))
})

test('customBiggerIsBetter: an array of named values, by the clock and by the processor', () => {
  const entries = JSON.parse(benchText(compared({ time: 1.2 }), 'github'))
  expect(
    entries.map(({ name, unit, value }: Record<string, unknown>) => ({ name, unit, value })),
  ).toEqual([
    { name: 'objects', unit: 'MB/s', value: 99.9 },
    { name: 'objects per CPU second', unit: 'MB/s', value: 99.9 },
  ])
  for (const { range, extra } of entries) {
    expect(range).toMatch(/^±0\.\d\d%$/)
    expect(extra).toMatch(/^peak memory: 100 MB\ntime: 0\.601 s, base 0\.50\d s, \+20\.0%, worse\n/)
    expect(extra).toMatch(/\nparse: 75\.0%\n.*Node v20\.20\.2 · a processor/)
  }
})

test('Markdown: the verdict first, tables, and names that cannot break them', () => {
  const worse = benchText(compared({ time: 1.2 }, 'a | <b>'), 'markdown')
  expect(worse).toMatch(/^### Benchmarks: \*\*worse\*\*: a \\\| \\<b\\> time \+20\.0% \(/)
  // A heading or row of the comparison has seven cells, one of the figures has eight.
  const cells = worse
    .split('\n')
    .filter(line => line.startsWith('| '))
    .map(line => line.replaceAll('\\|', '').split('|').length - 2)
  expect(cells).toEqual([7, 7, 7, 7, 7, 8, 8, 8])
  expect(benchText(compared({}), 'markdown')).toMatch(
    /^### Benchmarks: no proven regression\n\n\| benchmark \| base/,
  )
  expect(benchText(measuredOnly(), 'markdown')).toMatch(/^### Benchmarks\n\n\| benchmark \| MB\/s/)
})

test('a format or a report that is none is refused', () => {
  expect(() => benchText(measuredOnly(), 'xml' as 'json')).toThrow(/format must be/)
  expect(() => benchText({} as never, 'json')).toThrow(/kind/)
})

test('shares as text', () => {
  expect([percent(0.0213), signed(0.1), signed(-0.1), signed(0)]).toEqual([
    '2.1%',
    '+10.0%',
    '−10.0%',
    '+0.0%',
  ])
})
