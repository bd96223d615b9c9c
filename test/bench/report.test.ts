// The tables for a terminal.

import { expect, test } from 'vitest'
import { tableOf, verdictText } from '../../bench/report'
import { madeReport, rightVerdict } from './made-report'

test('results by case, wrong contenders marked, goals beneath', () => {
  expect(tableOf(madeReport)).toBe(
    `
2026-01-02T03:04:05.000Z · Node v20.20.2 · A processor · 2 cores · linux-x64
repeating item feed of seed 1: 1000 rows, 30.0 MB, 6.0 MB of gzip; medians of 3 interleaved rounds

case    contender  MB/s  rows/s  spread  CPU s  peak RSS MB  × zlib  by CPU  result
zlib    node:zlib    30    1000      0%   0.50           80    1.00    1.00  right
rows-5  feedmill     15     500      0%   1.00           80    0.50    0.50  right
        papaparse     5     167      0%   3.00           80    0.17    0.17  WRONG: 920 of 1000 rows, 899 of them right

zlib       node:zlib: alone
rows-5     feedmill: rows
papaparse  papaparse: objects

case    goal             measured
rows-5  ≥ 1.2 × zlib       0.50 ×  MISSED
rows-5  ≥ 2 × papaparse    3.00 ×  held
`.trim(),
  )
})

test('wrong without rows that are seen one by one', () => {
  const { identicalRows: _, ...totals } = { ...rightVerdict, right: false }
  expect(verdictText({ ...totals, count: 999 })).toBe('WRONG: 999 of 1000 rows')
  expect(verdictText(totals)).toBe('WRONG: 1000 rows, another checksum')
  expect(verdictText({ ...totals, unit: 'bytes', count: 1 })).toBe('WRONG: 1 of 1000 bytes')
})
