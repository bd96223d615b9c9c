// A sink of many files of a folder, each of them the whole output of another sink, and a manifest that
// names them:
//
//   part-00000.ndjson.gz     the first `rows` rows
//   part-00001.ndjson.gz     the next ones
//   manifest.json            {"rows", "files": [{"name", "rows", "bytes", "sha256", "first", "last"}], …}
//
// The manifest is committed last, so a reader that follows it, and compares the checksums, never takes
// the files of two runs for one.

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, rm, rmdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { compareKeys } from '../codec/key-order'
import { makeFolders } from '../disk/system-calls'
import type { FeedError } from '../errors'
import { is, type OptionTable, optionInvalid, readOptions } from '../options'
import {
  countOf,
  elementsOf,
  firstOf,
  headerOf,
  isColumnBatch,
  selectFrom,
} from '../pipeline/batch'
import { attempt, commitParts } from '../pipeline/commit-parts'
import { checkSink, type Sink } from '../pipeline/sink'
import { TextOutput } from './byte-output'
import { sinkFailed, valueInvalid } from './sink-errors'
import { sinkOfRuns } from './sink-of-runs'

export interface ShardSinkOptions<T> {
  /** Makes the sink of one file, as `path => ndjsonSink(path)`. */
  readonly sink: (path: string) => Sink<T>
  /** What the names of the files end with, as `.ndjson`. */
  readonly ending: string
  /** Rows of a file at most. Default: 1,000,000. */
  readonly rows?: number
  /** The column whose least and greatest text the manifest states for each file. Default: none. */
  readonly key?: string
  /** What else the manifest states, as JSON has it: a watermark, the name of a schema. Default: {}. */
  readonly about?: Readonly<Record<string, unknown>>
}

/** A file of a folder of shards, as the manifest has it. */
export interface ShardFile {
  readonly name: string
  readonly rows: number
  readonly bytes: number
  /** The SHA-256 of the file's bytes, in hexadecimal digits. */
  readonly sha256: string
  /** The least and the greatest text of the column `key`, in the order of their UTF-8 bytes. */
  readonly first?: string
  readonly last?: string
}

const NAME = 'shards'
const MANIFEST = 'manifest.json'
const LF = 0x0a

const OPTIONS = {
  sink: is.callback,
  ending,
  rows: [is.wholeNumber(), 1_000_000],
  key: [is.filledText],
  about: [is.anObject, {}],
} satisfies OptionTable<ShardSinkOptions<unknown>>

/** The name of a file must not lead out of the folder. */
function ending(option: string, value: string): string {
  if (typeof value === 'string' && /^\.[\w.-]+$/.test(value)) return value
  throw optionInvalid(option, 'an ending with its point, such as .ndjson.gz', value)
}

/**
 * Makes a sink that writes files of at most so many rows into a folder, by a sink for each, and a
 * manifest with the rows, the size and the SHA-256 of each file. The names do not depend on the
 * content: `part-00000` and so on.
 *
 * - The files appear when the pipeline has succeeded, the manifest last; before, and after a failure,
 *   all are as they were. Files of an earlier manifest that has more of them are removed behind it.
 * - Batches of rows, arrays and blocks of lines are divided at the row. A batch of columns is not: it
 *   has at most `rows` rows.
 * @param folder the path of the folder, which is made where it is missing
 * @throws FeedError OPTION_INVALID at the call; SINK_FAILED; SINK_PARTLY_COMMITTED, with the files that
 * are new; SINK_VALUE_INVALID for a batch of columns that is too large; the errors of the sinks
 * @example
 * ```ts
 * import { readdirSync } from 'node:fs'
 * import { ndjsonSink, pipeline, shardSink } from 'feedmill'
 *
 * const rows = [[{ sku: 'a' }, { sku: 'b' }, { sku: 'c' }]]
 * const options = { sink: (path: string) => ndjsonSink(path), ending: '.ndjson', rows: 2, key: 'sku' }
 * await pipeline(rows).run(shardSink('stock', options))
 * console.log(readdirSync('stock').join(' '))
 * // => manifest.json part-00000.ndjson part-00001.ndjson
 * ```
 */
export function shardSink<T>(folder: string, options: ShardSinkOptions<T>): Sink<T> {
  const settings = readOptions(options as ShardSinkOptions<unknown>, OPTIONS)
  const place = resolve(is.filePath('folder', folder))
  const output = { name: place, writes: [join(place, MANIFEST)] }
  return sinkOfRuns(NAME, output, () => new ShardRun(place, settings as ShardSettings)) as Sink<T>
}

type ShardSettings = Required<Omit<ShardSinkOptions<unknown>, 'key'>> & { readonly key?: string }

interface Shard {
  readonly name: string
  readonly sink: Sink<unknown>
  rows: number
  first?: string
  last?: string
}

class ShardRun {
  readonly #folder: string
  readonly #settings: ShardSettings
  readonly #manifest: TextOutput
  /** All but the last are prepared. */
  readonly #shards: Shard[] = []
  /** Folders that this run has made, each behind those in it. */
  #made: readonly string[] = []

  constructor(folder: string, settings: ShardSettings) {
    this.#folder = folder
    this.#settings = settings
    this.#manifest = new TextOutput(join(folder, MANIFEST), NAME)
  }

  async open(): Promise<void> {
    try {
      this.#made = await makeFolders(this.#folder)
    } catch (cause) {
      throw sinkFailed(NAME, this.#folder, cause)
    }
    await this.#manifest.open()
    await this.#next()
  }

  async write(item: unknown): Promise<void> {
    for (let rest: unknown = item; rest !== undefined; ) {
      const shard = await this.#shardFor(rest)
      const [part, more] = cutBehind(rest, this.#settings.rows - shard.rows)
      await shard.sink.write(part)
      shard.rows += rowsIn(part)
      this.#meetKeys(shard, part)
      rest = more
    }
  }

  async prepare(): Promise<void> {
    await this.#shards.at(-1)?.sink.prepare?.()
  }

  async commit(): Promise<void> {
    const before = await this.#filesBefore()
    const parts = this.#shards.map(({ name, sink }) => [name, sink] as const)
    const manifest = {
      commit: async () => {
        await this.#manifest.addText(`${JSON.stringify(await this.#stated(), undefined, 2)}\n`)
        await this.#manifest.prepare()
        await this.#manifest.commit()
      },
      abort: () => this.#manifest.abort(),
    }
    await commitParts([...parts, [MANIFEST, manifest]])
    const names = new Set(this.#shards.map(({ name }) => name))
    for (const name of before)
      if (!names.has(name)) await attempt(() => rm(join(this.#folder, name), { force: true }))
  }

  async abort(error: FeedError): Promise<void> {
    await this.#manifest.abort()
    for (const { sink } of this.#shards) await attempt(() => sink.abort(error))
    // A folder that has got other files stays.
    for (const folder of this.#made) await rmdir(folder).catch(() => {})
  }

  async #next(): Promise<Shard> {
    const { sink: newSink, ending } = this.#settings
    const name = `part-${String(this.#shards.length).padStart(5, '0')}${ending}`
    const sink = newSink(join(this.#folder, name))
    checkSink(sink)
    const shard = { name, sink, rows: 0 }
    this.#shards.push(shard)
    await sink.open?.()
    return shard
  }

  /** Returns the file that the next rows go into. */
  async #shardFor(item: unknown): Promise<Shard> {
    const shard = this.#shards.at(-1)!
    const room = this.#settings.rows - shard.rows
    const count = isColumnBatch(item) ? item.length : 1
    if (count > this.#settings.rows) {
      const row = this.#shards.reduce((sum, { rows }) => sum + rows, 1)
      throw valueInvalid(NAME, row, `a batch of columns has ${count} rows, more than a file gets`)
    }
    if (count <= room || (item as { length?: unknown }).length === 0) return shard
    await shard.sink.prepare?.()
    return this.#next()
  }

  #meetKeys(shard: Shard, item: unknown): void {
    const { key } = this.#settings
    if (key === undefined) return
    for (const text of textsIn(item, key)) {
      if (shard.first === undefined || compareKeys(text, shard.first) < 0) shard.first = text
      if (shard.last === undefined || compareKeys(text, shard.last) > 0) shard.last = text
    }
  }

  async #stated() {
    const files: ShardFile[] = []
    for (const { sink: _, ...shard } of this.#shards) {
      const { bytes, sha256 } = await proofOf(join(this.#folder, shard.name))
      const { name, rows, ...range } = shard
      files.push({ name, rows, bytes, sha256, ...range })
    }
    const rows = files.reduce((sum, file) => sum + file.rows, 0)
    return { ...this.#settings.about, rows, files }
  }

  /** The files of the manifest that the new one replaces; none where it cannot be read. */
  async #filesBefore(): Promise<readonly string[]> {
    try {
      const text = await readFile(join(this.#folder, MANIFEST), 'utf8')
      const { files } = JSON.parse(text) as { files: readonly ShardFile[] }
      return files.map(({ name }) => name).filter(name => /^part-\d+\.[\w.-]+$/.test(name))
    } catch {
      return []
    }
  }
}

/** The rows of an item; of a block of bytes its lines that end in it. */
function rowsIn(item: unknown): number {
  if (item instanceof Uint8Array) return linesIn(item)
  return countOf(item)
}

function linesIn(bytes: Uint8Array): number {
  let lines = 0
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) lines++
  return lines
}

/** Divides an item behind so many rows. What stands behind the last line end is of the next row. */
function cutBehind(item: unknown, rows: number): readonly [part: unknown, rest?: unknown] {
  if (item instanceof Uint8Array) {
    let end = 0
    for (let n = 0; n < rows && end >= 0; n++) end = item.indexOf(LF, end) + 1 || -1
    if (end < 0 || end === item.length) return [item]
    return [item.subarray(0, end), item.subarray(end)]
  }
  if (isColumnBatch(item) || countOf(item) <= rows) return [item]
  let n = 0
  return [firstOf(item, rows), selectFrom(item, () => n++ >= rows)]
}

function* textsIn(item: unknown, key: string): Generator<string, void, void> {
  for (const cell of cellsIn(item, key)) if (cell != null && cell !== '') yield String(cell)
}

/** The cells of one column. Of a batch of columns no other one is read. */
function* cellsIn(item: unknown, key: string): Generator<unknown, void, void> {
  if (item instanceof Uint8Array) return
  if (isColumnBatch(item)) yield* item.columns.find(({ name }) => name === key) ?? []
  else if (headerOf(item) !== undefined)
    for (const row of elementsOf(item)) yield (row as { text(name: string): string }).text(key)
  else for (const row of elementsOf(item)) yield (row as Record<string, unknown> | null)?.[key]
}

/** Reads a file again, so that what is stated is what is on the disk. */
async function proofOf(path: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('hex') }
}
