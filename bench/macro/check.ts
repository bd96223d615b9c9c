// Whether a case is right: its rows beside those that the world says the file has. The world's cells never went through a parser.

import { createHash } from 'node:crypto'
import { createWorld } from '../../src/emulator/index'
import type { BenchFeed } from '../bench-feed'

export interface RowCheck<Row> {
  /** The columns that are compared, the item's identifier among them. Default: all of the file. */
  readonly columns?: readonly string[]
  /** A row as text, a cell for each of `columns`. */
  cells(row: Row, columns: readonly string[]): readonly unknown[]
  /** What `cells` must give for a cell of the world. Default: its text. */
  expected?(column: string, cell: string): string
}

export interface Verdict {
  readonly right: boolean
  /** Rows, or bytes where the case makes no rows. */
  readonly count: number
  readonly expectedCount: number
  /** Rows that are, cell for cell, a row of the world which had not been seen yet. */
  readonly identicalRows?: number
  /** SHA-256 over all cells, or over the bytes, in order. */
  readonly checksum: string
  readonly expectedChecksum: string
}

type Run<Unit> = (use: (unit: Unit) => void) => Promise<void>

export async function checkRows<Row>(feed: BenchFeed, check: RowCheck<Row>, run: Run<Row>): Promise<Verdict> {
  const columns = check.columns ?? feed.columns
  const expected = expectedRows(feed, columns, check.expected)
  const all = createHash('sha256')
  let count = 0
  let identicalRows = 0
  await run(row => {
    const digest = digestOf(check.cells(row, columns))
    all.update(digest)
    count++
    if (expected.unseen.delete(digest)) identicalRows++
  })
  const checksum = all.digest('hex')
  const right = count === feed.rows && checksum === expected.checksum
  return { right, count, expectedCount: feed.rows, identicalRows, checksum, expectedChecksum: expected.checksum }
}

export async function checkBytes(feed: BenchFeed, run: Run<Uint8Array>): Promise<Verdict> {
  const hash = createHash('sha256')
  let count = 0
  await run(block => {
    hash.update(block)
    count += block.length
  })
  const checksum = hash.digest('hex')
  return { right: checksum === feed.rawSha256, count, expectedCount: feed.rawBytes, checksum, expectedChecksum: feed.rawSha256 }
}

function expectedRows({ seed, items }: BenchFeed, columns: readonly string[], expected = asItIs) {
  const world = createWorld({ seed, items })
  const unseen = new Set<string>()
  const all = createHash('sha256')
  for (const { cells } of world.truthAt(world.start, {}, columns)) {
    const digest = digestOf(cells.map((cell, n) => expected(columns[n]!, cell)))
    all.update(digest)
    unseen.add(digest)
  }
  return { unseen, checksum: all.digest('hex') }
}

function asItIs(_column: string, cell: string): string {
  return cell
}

function digestOf(cells: readonly unknown[]): string {
  return createHash('sha1').update(JSON.stringify(cells)).digest('base64')
}
