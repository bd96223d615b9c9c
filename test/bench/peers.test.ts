// What is published of the peers: the sections of the documents and the picture are what the kept
// report gives, so that neither can drift.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { peersChart } from '../../bench/peers-chart'
import {
  FULL_SECTION,
  PEERS_SECTIONS,
  type Reports,
  SUMMARY_SECTION,
  withSection,
} from '../../bench/peers-section'
import type { BenchReport } from '../../bench/report'
import { madeReport } from './made-report'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
const published = JSON.parse(read('bench/peers.json')) as Reports

/** The same on another shape, at half the speed by the clock. */
const slower: BenchReport = {
  ...madeReport,
  feed: { ...madeReport.feed, shape: 'narrow' },
  cases: madeReport.cases.map(({ name, contenders }) => ({
    name,
    contenders: contenders.map(result => ({
      ...result,
      ...(result.ours && { timesZlib: result.timesZlib! / 2 }),
    })),
  })),
}

test.each(PEERS_SECTIONS)('$path shows the kept report', section => {
  expect(withSection(read(section.path), section, published)).toBe(read(section.path))
})

test('the picture is drawn from the kept report', () => {
  expect(peersChart(published[0])).toBe(read('bench/peers.svg'))
})

test('the section on all contenders: both tables, wrong contenders and missed goals marked', () => {
  const document = 'before\n<!-- bench:peers -->\nold\n<!-- /bench:peers -->\nafter'
  const section = withSection(document, FULL_SECTION, [madeReport])
  expect(section).toMatch(/^before\n<!-- bench:peers -->\nOn 2 cores, /)
  expect(section).toMatch(/\n<!-- \/bench:peers -->\nafter$/)
  expect(section).toContain('on 2026-01-02 with Node 20.20.2, A processor, 2 cores.')
  expect(section).toContain(
    '| `rows-5` gzip file to rows, five cells read | **feedmill** | 15 | 500 | 1.00 | 80 | 0.50 | right |',
  )
  expect(section).toContain(
    '|  | papaparse | 5 | 167 | 3.00 | 80 | 0.17 | **wrong**: 89% of rows right |',
  )
  expect(section).toContain('| `rows-5` | ≥ 1.2 × zlib | 0.50 × | **missed** |')
  expect(section).not.toContain('old')
  expect(withSection(section, FULL_SECTION, [madeReport])).toBe(section)
  expect(() => withSection('no section', FULL_SECTION, [madeReport])).toThrow(RangeError)
})

test('the summary: a contender that a report lacks is a dash, and the shapes are compared', () => {
  const document = '<!-- bench:summary -->\n<!-- /bench:summary -->'
  const section = withSection(document, SUMMARY_SECTION, [madeReport, slower])
  expect(section).toContain(
    '| `rows-5` gzip file to rows, five cells read | **15** (0.50 ×) | `repeating` 0.50 × | `narrow` 0.25 × | — | 5 (0.17 ×), **wrong** | 30 |',
  )
  expect(section).toContain('of 2 shapes of files')
  expect(section).toContain('item feed of seed 1: 1000 rows')
  expect(section).toContain('2 cores')
})

test('the shapes: the best first, and one core by processor time', () => {
  const document = '<!-- bench:peers -->\n<!-- /bench:peers -->'
  const machine = { ...madeReport.machine, cores: 1 }
  const reports: Reports = [slower, madeReport, { ...slower, machine }]
  const lines = withSection(document, FULL_SECTION, reports).split('\n')
  expect(lines.filter(line => /^\| `(repeating|narrow)`/.test(line))).toEqual([
    '| `repeating` | 30 | 30000 | 5.0 | 30 | — | — | 0.50 | — | — | — | — | 80 |',
    '| `narrow` | 30 | 30000 | 5.0 | 30 | — | — | 0.25 | — | — | — | — | 80 |',
    '| `narrow` | 30 | 30000 | 5.0 | 30 | — | — | 0.50 | — | — | — | — | 80 |',
  ])
  expect(lines.filter(line => line.startsWith('On one core, ')).join()).toContain('processor time')
})

test('the picture: equal reports give equal bytes, wrong contenders are hollow', () => {
  const svg = peersChart(madeReport)
  expect(peersChart(madeReport)).toBe(svg)
  expect(svg).toContain('wrong: 89% of rows right')
  // The bar of papaparse, and the line that shows zlib's speed.
  const dashed = svg.split('\n').filter(line => line.includes('stroke-dasharray'))
  expect(dashed.map(line => /stroke="(#\w+)"/.exec(line)?.[1])).toEqual(['#8b949e', '#d29922'])
})

test('the picture: no name is cut, and all groups have one scale', () => {
  const svg = peersChart(published[0])
  // Names end at the left edge of the bars, so a name must not be wider than the room left of them:
  // 6 pixels a letter at the least.
  const names = [
    ...svg.matchAll(/text-anchor="end"[^>]*transform="translate\(([\d.]+) [^>]*>([^<]+)</g),
  ].map(([, x, name]) => ({
    x: Number(x),
    name: name!,
  }))
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter(({ x, name }) => x < 6 * name.length)).toEqual([])
  expect(new Set(names.map(({ x }) => x)).size).toBe(1)
})
