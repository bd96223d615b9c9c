// What a case is: one way through the whole file, measured and checked with the same code. A contender is one small file beside this one.
// The checks are loaded on demand: a process that measures holds nothing but its case.

import { createReadStream } from 'node:fs'
import type { BenchFeed } from '../bench-feed'
import type { RowCheck, Verdict } from './check'

/** Read size of the gzip file, the same for all contenders. */
const READ_BYTES = 256 * 1024

export interface MacroCase {
  readonly name: string
  readonly title: string
  /** Of this package: then a wrong result fails the run. */
  readonly ours: boolean
  /** Once through the file. @returns the rows that it made; undefined for a case that makes none */
  measure(path: string): Promise<number | undefined>
  check(feed: BenchFeed): Promise<Verdict>
}

interface CaseName {
  readonly name: string
  readonly title: string
  readonly ours: boolean
}

export interface RowsCase<Row> extends CaseName, RowCheck<Row> {
  /** Reads the file and hands over each row, in the form that is measured. */
  run(path: string, use: (row: Row) => void): Promise<void>
}

export interface BytesCase extends CaseName {
  run(path: string, use: (block: Uint8Array) => void): Promise<void>
}

/** A case that makes rows. */
export function rowsCase<Row>(spec: RowsCase<Row>): MacroCase {
  const { name, title, ours } = spec
  const measure = async (path: string) => {
    let rows = 0
    await spec.run(path, () => {
      rows++
    })
    return rows
  }
  const check = async (feed: BenchFeed) => (await import('./check')).checkRows<Row>(feed, spec, use => spec.run(feed.path, use))
  return { name, title, ours, measure, check }
}

/** A case that makes the file's bytes. */
export function bytesCase(spec: BytesCase): MacroCase {
  const { name, title, ours } = spec
  const measure = async (path: string) => {
    await spec.run(path, () => {})
    return undefined
  }
  const check = async (feed: BenchFeed) => (await import('./check')).checkBytes(feed, use => spec.run(feed.path, use))
  return { name, title, ours, measure, check }
}

export function fileBytes(path: string) {
  return createReadStream(path, { highWaterMark: READ_BYTES })
}
