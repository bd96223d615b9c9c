// Every contender on a small file: those that are right, those that are known to be wrong, and by
// how much.
// Long: it runs every case of the benchmark.

import { afterAll, expect, test } from 'vitest'
import type { BenchFeed } from '../../../bench/bench-feed'
import { prepareCopies, prepareRaw } from '../../../bench/data'
import { serveFile } from '../../../bench/file-server'
import {
  casesOn,
  FAIL_ON_BAD_CELLS,
  MACRO_CASE_NAMES,
  type MacroCaseName,
  macroCases,
  TABLE_CASES,
} from '../../../bench/macro/cases'
import { SHAPE_NAMES } from '../../../bench/shapes/shape'
import { smallFeed } from '../small-feed'

const feeds = {
  repeating: (await smallFeed('repeating')).feed,
  varied: (await smallFeed('varied')).feed,
}
const server = await serveFile(feeds.repeating.path)
afterAll(() => server.close())

/** Least and most of the rows that a contender gets right, as shares. All others are right. */
const WRONG: { readonly [name in MacroCaseName]?: readonly [number, number] } = {
  split: [0.9, 0.99],
  udsv: [0.8, 0.95],
  'udsv-objects': [0.8, 0.95],
  papaparse: [0.8, 0.95],
  'papaparse-typed': [0.8, 0.95],
  'csv-parser': [0.1, 0.6],
}

async function feedOf(name: MacroCaseName): Promise<BenchFeed> {
  const feed = feeds.repeating
  if (name === 'scan') return prepareRaw(feed)
  if (name === 'http') return { ...feed, path: server.url }
  return name === 'rss-large' ? prepareCopies(feed, 3) : feed
}

test.each(MACRO_CASE_NAMES)('%s: right or wrong as known, and measured as checked', async name => {
  const own = await feedOf(name)
  const { check, prepare, measure, ours, tidy } = await macroCases[name]()
  const verdict = await check(own)
  expect(verdict.expectedCount).toBeGreaterThan(1000)
  const [least, most] = WRONG[name] ?? []
  if (least === undefined || most === undefined) {
    expect(verdict).toMatchObject({
      right: true,
      checksum: verdict.expectedChecksum,
      count: verdict.expectedCount,
    })
  } else {
    expect(ours).toBe(false)
    expect(verdict.right).toBe(false)
    expect(verdict.checksum).not.toBe(verdict.expectedChecksum)
    expect(verdict.identicalRows).toBeGreaterThan(own.rows * least)
    expect(verdict.identicalRows).toBeLessThan(own.rows * most)
  }
  await prepare?.(own.path)
  expect(await measure(own.path)).toBe(verdict.unit === 'rows' ? verdict.count : undefined)
  await tidy?.()
})

test.each(['duckdb-typed', 'duckdb-ndjson', 'duckdb-parquet', 'hyparquet-writer'] as const)(
  '%s: right on varied rows',
  async name => {
    expect(await (await macroCases[name]()).check(feeds.varied)).toMatchObject({ right: true })
  },
)

test.each(SHAPE_NAMES)('%s: our cases are measured on it, and right', async shape => {
  const { feed } = await smallFeed(shape)
  const measured = casesOn(shape, MACRO_CASE_NAMES)
  for (const name of MACRO_CASE_NAMES) {
    const { ours, check } = await macroCases[name]()
    if (!ours) continue
    if (shape === 'odd-bad' && FAIL_ON_BAD_CELLS.includes(name)) continue
    expect(measured).toContain(name)
    // Their sources are others, and the rows the same.
    if (name === 'scan' || name === 'http') continue
    expect(await check(feed), name).toMatchObject({ right: true })
  }
})

test('every contender stands in the table', () => {
  const inTable = Object.values(TABLE_CASES).flat()
  expect(MACRO_CASE_NAMES.filter(name => !inTable.some(other => other === name))).toEqual([])
})
