// What a case is: one contender's way through a whole file, measured and checked with the same
// code. Each is one small file beside this one. The checks are loaded on demand: a process that
// measures holds nothing but its case.

import { createReadStream, existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGunzip } from 'node:zlib'
import type { BenchFeed } from '../bench-feed'
import type { RowCheck, TotalsCheck, Verdict } from './check'

/** Read size of the gzip file, the same for all contenders. */
export const READ_BYTES = 256 * 1024

/**
 * Output chunks of zlib for contenders that want plain bytes. Of 16 KiB to 1 MiB none is clearly
 * faster for any of them.
 */
const INFLATED_BYTES = 64 * 1024

/** Files in it are in memory. */
const MEMORY_FOLDER = '/dev/shm'

interface CaseName {
  readonly name: string
  /** Who runs: this package, or another by its name. */
  readonly contender: string
  readonly title: string
  /** True for a contender of this package, whose wrong result fails the run. */
  readonly ours: boolean
}

export interface MacroCase extends CaseName {
  /** What is done before the clock starts, where anything must. */
  prepare?(source: string): Promise<void>
  /**
   * Once through the source: a file's path, or its URL.
   * @returns the rows that it made; undefined for a case that makes none
   */
  measure(source: string): Promise<number | undefined>
  check(feed: BenchFeed): Promise<Verdict>
  /** What is done after the clock has stopped, where anything must. */
  tidy?(): Promise<void>
}

export interface RowsCase<Row> extends CaseName, RowCheck<Row> {
  /** Reads the source and hands over each row, in the form that is measured. */
  run(source: string, use: (row: Row) => void): Promise<void>
}

export interface BytesCase extends CaseName {
  run(source: string, use: (block: Uint8Array) => void): Promise<void>
}

export interface TotalsCase extends CaseName, TotalsCheck {
  /** What the contender answers. Its first total is the number of rows. */
  run(source: string): Promise<readonly number[]>
}

export interface FileCase<Row> extends CaseName, RowCheck<Row> {
  /**
   * Reads the source and writes its rows to a new file.
   * @returns the number of rows
   */
  run(source: string, output: string): Promise<number>
  /** The rows of the written file, for the check. */
  read(output: string): AsyncIterable<Row>
}

/** A batch of columns and a row in it. */
interface BatchRow<Batch> {
  readonly batch: Batch
  readonly n: number
}

export interface BatchesCase<Batch extends { readonly length: number }>
  extends CaseName,
    RowCheck<BatchRow<Batch>> {
  /** Reads the source and hands over each batch, in the form that is measured. */
  run(source: string, use: (batch: Batch) => void): Promise<void>
}

/** A case that makes rows. */
export function rowsCase<Row>(spec: RowsCase<Row>): MacroCase {
  const measure = async (source: string) => {
    let rows = 0
    await spec.run(source, () => {
      rows++
    })
    return rows
  }
  const check = async (feed: BenchFeed) =>
    (await import('./check')).checkRows<Row>(feed, spec, use => spec.run(feed.path, use))
  return { ...nameOf(spec), measure, check }
}

/** A case that makes batches of columns, whose cells only the check reads one by one. */
export function batchesCase<Batch extends { readonly length: number }>(
  spec: BatchesCase<Batch>,
): MacroCase {
  const measure = async (source: string) => {
    let rows = 0
    await spec.run(source, batch => {
      rows += batch.length
    })
    return rows
  }
  const check = async (feed: BenchFeed) =>
    (await import('./check')).checkRows<BatchRow<Batch>>(feed, spec, use =>
      spec.run(feed.path, batch => {
        for (let n = 0; n < batch.length; n++) use({ batch, n })
      }),
    )
  return { ...nameOf(spec), measure, check }
}

/** A case that makes the file's bytes. */
export function bytesCase(spec: BytesCase): MacroCase {
  const measure = async (source: string) => {
    await spec.run(source, () => {})
    return undefined
  }
  const check = async (feed: BenchFeed) =>
    (await import('./check')).checkBytes(feed, use => spec.run(feed.path, use))
  return { ...nameOf(spec), measure, check }
}

/** A case that keeps its rows to itself and answers with totals over them: a database. */
export function totalsCase(spec: TotalsCase): MacroCase {
  const measure = async (source: string) => (await spec.run(source))[0]
  const check = async (feed: BenchFeed) =>
    (await import('./check')).checkTotals(feed, spec, () => spec.run(feed.path))
  return { ...nameOf(spec), measure, check }
}

/** A case that writes a file: into memory where the system has such a place, so no disk is measured. */
export function fileCase<Row>(spec: FileCase<Row>): MacroCase {
  const folder = existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir()
  const output = join(folder, `feedmill-bench-${process.pid}-${spec.name}`)
  const tidy = () => rm(output, { force: true })
  const check = async (feed: BenchFeed) => {
    const { checkRows } = await import('./check')
    const readAll = async (use: (row: Row) => void) => {
      await spec.run(feed.path, output)
      for await (const row of spec.read(output)) use(row)
    }
    return checkRows<Row>(feed, spec, readAll).finally(tidy)
  }
  return { ...nameOf(spec), measure: source => spec.run(source, output), check, tidy }
}

function nameOf({ name, contender, title, ours }: CaseName): CaseName {
  return { name, contender, title, ours }
}

export function fileBytes(path: string) {
  return createReadStream(path, { highWaterMark: READ_BYTES })
}

/**
 * The file's content, inflated by node:zlib on a thread of its own. A file that cannot be read
 * destroys the stream.
 */
export function inflatedBytes(path: string) {
  const inflated = createGunzip({ chunkSize: INFLATED_BYTES })
  return fileBytes(path)
    .once('error', error => inflated.destroy(error))
    .pipe(inflated)
}

/** The columns by the file's header: some milliseconds, where DuckDB's own guess takes fifty. */
export async function headerColumns(path: string): Promise<string[]> {
  let text = ''
  for await (const block of inflatedBytes(path).setEncoding('utf8')) {
    text += block
    if (text.includes('\n')) break
  }
  return text.slice(0, text.indexOf('\n')).split('\t')
}
