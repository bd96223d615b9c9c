import { expect, test } from 'vitest'
import { compare } from '../../../src/cli/profile/profile-baseline'
import { comparisonReport, profileReport } from '../../../src/cli/profile/profile-report'
import { profileResult } from '../../../src/cli/profile/profile-result'
import { machine, resultOf, round, subject } from './profile-samples'

test('the report shows a profile as text', () => {
  expect(profileReport(resultOf(1000, 2000, 2000)).join('\n')).toBe(`\
items.tsv.gz: item feed, 20.0 MB of gzip, 100.0 MB of TSV, 39 columns, 100000 rows, 0 bad
2026-03-01T00:00:00.000Z · Node v20.1.0 · A · 2 cores · linux-x64
the first 5 cells of every row as text; medians of 3 rounds, each in a fresh process

stage              busy s  wait s  blocked s  share  MB/s  rows/s
-----------------  ------  ------  ---------  -----  ----  ------
source              0.200   0.000      1.800    10%   100
inflate and parse   1.200   0.200      0.600    60%    83   83333
reader              0.600   1.400      0.000    30%   167  166667

50 MB/s of TSV · 10.0 MB/s of gzip · 50000 rows/s
2.000 s, spread 50% · CPU 3.00 s, all threads · peak RSS 100 MB

inflate and parse is the bottleneck, with 60% of the run. Without it the run would still take 0.800 of its 2.000 s. \
What comes before it is held back and what comes after it waits: only its own work, or less of it, helps.`)
})

test('the report shows plain text, bad rows, one round and a short run', () => {
  const file = { ...subject.file, format: 'plain' as const, bytes: 100_000_000 }
  const rounds = [round(100, { badRows: 1, firstBad: 'TSV_ROW_BLANK: row 3' })]
  const lines = profileReport(
    profileResult({ file, feed: 'item_group', reading: 'typed' }, machine, rounds),
  )
  expect(lines[0]).toBe(
    'items.tsv.gz: item_group feed, 100.0 MB of TSV, 39 columns, 100000 rows, 1 bad',
  )
  expect(lines[1]).toBe('first bad row: TSV_ROW_BLANK: row 3')
  expect(lines[3]).toBe('every row as an object of decoded cells; one round, in a fresh process')
  expect(lines).toContain('1000 MB/s of TSV · 1000000 rows/s')
  expect(lines.at(-1)).toMatch(/warm-up/)
})

test.each([
  ['objects', /^every row as an object of strings;/],
  [0, /^rows without reading a cell;/],
] as const)('the report says the reading %s in words', (reading, words) => {
  expect(profileReport(profileResult({ ...subject, reading }, machine, [round(1000)]))[2]).toMatch(
    words,
  )
})

test('a comparison has the verdict and the other differences', () => {
  const baseline = resultOf(1000, 1010, 1020)
  const report = (...elapsedMs: number[]) => {
    const result = resultOf(...elapsedMs)
    return comparisonReport(compare(baseline, result, 0.1), result.totals).join('\n')
  }
  expect(report(1250, 1260, 1270)).toBe(`\
SLOWER: -19.8% against 99 MB/s of 2026-03-01T00:00:00.000Z (tolerance 10%, spread of the rounds 2.0%)
CPU 1.89 s, was 1.51 s · peak RSS 100 MB, was 100 MB`)
  expect(report(900, 905, 910)).toMatch(/^held: \+11\.6% against/)
  expect(report(1000, 1260, 1500)).toMatch(/^unclear, .*: -19\.8% against/)
})
