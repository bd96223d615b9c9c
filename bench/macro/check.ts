// Whether a case is right: its rows beside those that the shape says the file has. The shape's
// cells never went through a parser.

import { createHash } from 'node:crypto'
import type { BenchFeed } from '../bench-feed'
import { shapes } from '../shapes/shape'

export interface RowCheck<Row> {
  /** The columns that are compared, the item's identifier among them. Default: all of the file. */
  readonly columns?: readonly string[]
  /** A row as text, a cell for each of `columns`. */
  cells(row: Row, columns: readonly string[]): readonly unknown[]
  /** What `cells` must give for a cell of the shape. Default: its text. */
  expected?(column: string, cell: string): string
}

export interface TotalsCheck {
  /**
   * What a row of the shape, as pairs of column and text, adds to each total. The first is 1:
   * totals begin with the number of rows.
   */
  addends(cells: readonly (readonly [column: string, cell: string])[]): readonly number[]
}

export interface Verdict {
  readonly right: boolean
  readonly unit: 'rows' | 'bytes'
  readonly count: number
  readonly expectedCount: number
  /**
   * Rows that are, cell for cell, a row of the shape which had not been seen yet. Undefined where
   * rows are not seen one by one.
   */
  readonly identicalRows?: number
  /** SHA-256 over all cells, over the bytes, or over the totals, in order. */
  readonly checksum: string
  readonly expectedChecksum: string
}

type Run<Unit> = (use: (unit: Unit) => void) => Promise<void>

export async function checkRows<Row>(
  feed: BenchFeed,
  check: RowCheck<Row>,
  run: Run<Row>,
): Promise<Verdict> {
  const columns = check.columns ?? feed.columns
  const expected = await expectedRows(feed, columns, check.expected)
  const all = createHash('sha256')
  let count = 0
  let identicalRows = 0
  await run(row => {
    const digest = digestOf(check.cells(row, columns))
    all.update(digest)
    count++
    const unseen = expected.unseen.get(digest) ?? 0
    if (unseen === 0) return
    identicalRows++
    expected.unseen.set(digest, unseen - 1)
  })
  const checksum = all.digest('hex')
  const right = count === feed.rows && checksum === expected.checksum
  return {
    right,
    unit: 'rows',
    count,
    expectedCount: feed.rows,
    identicalRows,
    checksum,
    expectedChecksum: expected.checksum,
  }
}

export async function checkBytes(feed: BenchFeed, run: Run<Uint8Array>): Promise<Verdict> {
  const hash = createHash('sha256')
  let count = 0
  await run(block => {
    hash.update(block)
    count += block.length
  })
  const checksum = hash.digest('hex')
  const right = checksum === feed.rawSha256
  return {
    right,
    unit: 'bytes',
    count,
    expectedCount: feed.rawBytes,
    checksum,
    expectedChecksum: feed.rawSha256,
  }
}

export async function checkTotals(
  feed: BenchFeed,
  check: TotalsCheck,
  run: () => Promise<readonly number[]>,
): Promise<Verdict> {
  const expected = await expectedTotals(feed, check)
  const totals = await run()
  const checksum = sha256(totals)
  const expectedChecksum = sha256(expected)
  const right = checksum === expectedChecksum
  return {
    right,
    unit: 'rows',
    count: totals[0] ?? 0,
    expectedCount: feed.rows,
    checksum,
    expectedChecksum,
  }
}

async function expectedRows(feed: BenchFeed, columns: readonly string[], expected = asItIs) {
  const digests: string[] = []
  for (const cells of await truth(feed, columns))
    digests.push(digestOf(cells.map((cell, n) => expected(columns[n]!, cell))))
  const unseen = new Map(digests.map(digest => [digest, feed.copies]))
  const all = createHash('sha256')
  for (let copy = 0; copy < feed.copies; copy++) for (const digest of digests) all.update(digest)
  return { unseen, checksum: all.digest('hex') }
}

async function expectedTotals(feed: BenchFeed, check: TotalsCheck): Promise<number[]> {
  const totals: number[] = []
  for (const cells of await truth(feed, feed.columns)) {
    const addends = check.addends(cells.map((cell, n) => [feed.columns[n]!, cell]))
    addends.forEach((addend, n) => {
      totals[n] = (totals[n] ?? 0) + addend * feed.copies
    })
  }
  return totals
}

/** The cells of every row of the shape, as text, empty where the file lacks the column. */
async function truth(
  { shape: name, seed, items }: BenchFeed,
  columns: readonly string[],
): Promise<Iterable<readonly string[]>> {
  const shape = await shapes[name]()
  const places = columns.map(column => shape.columns.indexOf(column))
  return (function* () {
    for (const cells of shape.rows(seed, items)) yield places.map(place => cells[place] ?? '')
  })()
}

function asItIs(_column: string, cell: string): string {
  return cell
}

function digestOf(cells: readonly unknown[]): string {
  return createHash('sha1').update(JSON.stringify(cells)).digest('base64')
}

function sha256(totals: readonly number[]): string {
  return createHash('sha256').update(JSON.stringify(totals)).digest('hex')
}
