// The benchmark's own arithmetic and checks: that a wrong contender cannot pass for a right one, and that the floor fails a run.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BenchFeed } from '../bench/bench-feed'
import { benchOptions } from '../bench/bench-options'
import type { Measurement } from '../bench/case-process'
import { itemsFor, prepareFeed } from '../bench/data'
import { figuresOf, median, type Rounds } from '../bench/figures'
import { failuresOf } from '../bench/floor'
import { MACRO_CASE_NAMES, macroCases } from '../bench/macro/cases'
import type { Verdict } from '../bench/macro/check'
import { itemBatches } from '../bench/macro/item-batches'
import { bytesCase, rowsCase } from '../bench/macro/macro-case'
import { objects } from '../bench/macro/objects'
import { zlib } from '../bench/macro/zlib'

let directory: string
let feed: BenchFeed

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'feedmill-bench-'))
  feed = await prepareFeed(1, itemsFor(1), directory)
})

afterAll(() => rm(directory, { recursive: true }))

describe('the measured file', () => {
  test('is about as large as asked for, written once and described', async () => {
    expect(feed.rawBytes).toBeGreaterThan(0.9e6)
    expect(feed.rawBytes).toBeLessThan(1.1e6)
    expect(feed.columns).toHaveLength(39)
    expect(await prepareFeed(1, itemsFor(1), directory)).toEqual(feed)
    const other = await prepareFeed(2, itemsFor(1), directory)
    expect(other.rawSha256).not.toBe(feed.rawSha256)
  })
})

describe('checks', () => {
  test.each(MACRO_CASE_NAMES.filter(name => name !== 'papaparse'))('%s is right', async name => {
    const verdict = await (await macroCases[name]()).check(feed)
    expect(verdict).toMatchObject({ right: true, checksum: verdict.expectedChecksum, count: verdict.expectedCount })
    expect(verdict.count).toBeGreaterThan(1000)
  })

  test('papaparse is shown as wrong, with what it got', async () => {
    const verdict = await (await macroCases.papaparse()).check(feed)
    expect(verdict.right).toBe(false)
    expect(verdict.count).toBeLessThan(feed.rows)
    expect(verdict.identicalRows).toBeGreaterThan(feed.rows * 0.5)
    expect(verdict.identicalRows).toBeLessThan(verdict.count)
  })

  test('one changed cell, a lost row and a lost byte are wrong', async () => {
    let rows = 0
    const spoilt = rowsCase<Record<string, string>>({
      name: 'spoilt',
      title: '',
      ours: true,
      cells: (row, columns) => columns.map(name => row[name]),
      run: (path, use) => allObjects(path, row => use(++rows === 500 ? { ...row, title: `${row.title}.` } : row)),
    })
    expect(await spoilt.check(feed)).toMatchObject({ right: false, count: feed.rows, identicalRows: feed.rows - 1 })
    rows = 0
    const short = rowsCase<Record<string, string>>({
      name: 'short',
      title: '',
      ours: true,
      cells: (row, columns) => columns.map(name => row[name]),
      run: (path, use) => allObjects(path, row => void (++rows !== 500 && use(row))),
    })
    expect(await short.check(feed)).toMatchObject({ right: false, count: feed.rows - 1, identicalRows: feed.rows - 1 })
    const cut = bytesCase({ name: 'cut', title: '', ours: false, run: async (_, use) => use(new Uint8Array(feed.rawBytes - 1)) })
    expect(await cut.check(feed)).toMatchObject({ right: false, count: feed.rawBytes - 1 })
  })

  test('a measured run makes the rows that were checked', async () => {
    expect(await objects.measure(feed.path)).toBe(feed.rows)
    expect(await zlib.measure(feed.path)).toBeUndefined()
  })
})

describe('figures', () => {
  const run = (seconds: number): Measurement => ({ rows: 1000, seconds, cpuSeconds: seconds / 2, peakRssMb: 80 })
  const rounds: Rounds = {
    zlib: [run(1), run(10), run(1)],
    'rows-5': [run(2), run(20), run(2)],
    objects: [run(3), run(30), run(3)],
    typed: [run(4), run(40), run(4)],
    papaparse: [run(9), run(90), run(9)],
  }

  test('median', () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(median([4, 1, 3, 2])).toBe(2.5)
  })

  test('ratios are taken round by round', () => {
    const figures = figuresOf('objects', rounds, { rawBytes: 30e6 })
    expect(figures).toEqual({
      mbPerSecond: 10,
      rowsPerSecond: 1000 / 3,
      spread: 9,
      cpuSeconds: 1.5,
      peakRssMb: 80,
      timesPapaparse: 3,
      timesZlib: 1 / 3,
    })
  })
})

describe('what fails a run', () => {
  const verdict = (right: boolean): Verdict => {
    return { right, count: 9, expectedCount: 10, identicalRows: 8, checksum: 'a', expectedChecksum: 'b' }
  }
  const judged = (timesPapaparse: number, right = true) => [
    { name: 'objects' as const, ours: true, verdict: verdict(right), timesPapaparse },
    { name: 'papaparse' as const, ours: false, verdict: verdict(false), timesPapaparse: 1 },
  ]

  test('the floor, unless it is switched off; a wrong contender does not', () => {
    expect(failuresOf(judged(2), true)).toEqual([])
    expect(failuresOf(judged(1.99), true)).toEqual(['objects is 1.99 times as fast as papaparse, below the floor of 2'])
    expect(failuresOf(judged(1.99), false)).toEqual([])
  })

  test('a wrong result of this package, however fast', () => {
    expect(failuresOf(judged(5, false), false)).toEqual(['objects is WRONG: 9 of 10 rows, 8 of them right'])
  })
})

describe('options', () => {
  test('defaults, --quick and what overrides it', () => {
    expect(benchOptions([])).toEqual({ megabytes: 200, rounds: 5, seed: 1, json: undefined, floor: true })
    expect(benchOptions(['--quick'])).toMatchObject({ megabytes: 20, rounds: 3 })
    expect(benchOptions(['--quick', '--mb', '7', '--json', 'a.json', '--no-floor'])).toMatchObject({
      megabytes: 7,
      rounds: 3,
      json: 'a.json',
      floor: false,
    })
  })

  test.each([[['--mb', '0']], [['--rounds', 'many']], [['--fast']]])('%j is refused', args => {
    expect(() => benchOptions(args)).toThrow()
  })
})

async function allObjects(path: string, use: (row: Record<string, string>) => void): Promise<void> {
  for await (const batch of itemBatches(path).batches()) for (const row of batch) use(row.toStrings())
}
