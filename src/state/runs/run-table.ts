// The rows of one feed in sorted runs: the newest row of every key, listed in the order of the keys
// or found by a key.

import type { Columns, FeedSchema, Row } from '../../engine/index'
import { compareKeys } from '../row-key'
import {
  type Floor,
  mergeRuns,
  type PlacedStanding,
  placedAt,
  type SequencedRun,
  type Standing,
  standsOf,
} from './merge-runs'
import { compareHeads, type Keys } from './row-heads'
import { RunCursor } from './run-cursor'
import { type Block, type BlockLines, blockOf } from './run-reader'

/** The place of a row that stands, in a block whose rows were read. */
export interface StandingPlace {
  readonly block: Block
  readonly lines: BlockLines
  readonly n: number
}

/** Compares two places by their keys. */
export function comparePlaces(a: StandingPlace, b: StandingPlace): number {
  return compareHeads(a.block.heads, a.n, b.block.heads, b.n)
}

/** Blocks of each run that look-ups keep in memory. */
const CACHED_BLOCKS = 4
/** Places that are yielded together, and the bytes of their rows, about. */
const PLACES_AT_ONCE = 512
const BYTES_AT_ONCE = 1 << 22

export class RunTable<C extends Columns> {
  readonly runs: readonly SequencedRun[]
  readonly floors: readonly Floor[]
  readonly #schema: FeedSchema<C>
  readonly #caches = new Map<SequencedRun, BlockCache>()

  constructor(schema: FeedSchema<C>, runs: readonly SequencedRun[], floors: readonly Floor[]) {
    this.#schema = schema
    this.runs = runs
    this.floors = floors
  }

  /**
   * Yields the places of the rows that stand in the order of their keys, in blocks of a few hundred
   * at most. Each keeps the memory of its block, of about a megabyte.
   * @param isLent true where the caller is done with places before it asks for the next
   */
  async *places(isLent = false): AsyncGenerator<readonly StandingPlace[], void, void> {
    let places: StandingPlace[] = []
    let bytes = 0
    for await (const parts of mergeRuns(this.runs, this.floors, isLent)) {
      for (const { block, from, to, removal } of parts) {
        if (removal !== undefined) continue
        for (let n = from; n < to; n++) {
          if (block.isRemoved(n)) continue
          places.push({ block, lines: block.read ?? (await block.lines()), n })
          bytes += block.rowBytes
          if (places.length < PLACES_AT_ONCE && bytes < BYTES_AT_ONCE) continue
          yield places
          places = []
          bytes = 0
        }
      }
      if (!isLent || places.length === 0) continue
      yield places
      places = []
    }
    if (places.length > 0) yield places
  }

  /** Yields the rows that stand in the order of their keys, in blocks of a few hundred at most. */
  async *rows(): AsyncGenerator<Row<C>[], void, void> {
    for await (const places of this.places()) yield places.map(place => this.rowAt(place))
  }

  rowAt({ lines, n }: StandingPlace): Row<C> {
    return lines.row(n, this.#schema)
  }

  /** Returns a row that does not know its file and its place there, which takes less time. */
  bareRowAt({ lines, n }: StandingPlace): Row<C> {
    return lines.bareRow(n, this.#schema)
  }

  /**
   * Returns the rows that stand of the first keys, one for each: those of as many keys as have a few
   * megabytes of rows. They keep the memory of few blocks: where the keys are of more, their rows are
   * copies.
   */
  async findSome(keys: readonly string[]): Promise<readonly (Row<C> | undefined)[]> {
    for (let count = keys.length; ; count >>= 1) {
      const some = keys.slice(0, count)
      const found = await this.#findAll(some.filter(key => key !== ''))
      const rows = some.map(key => found.get(key))
      if (count <= 1 || sizeOf(rows) <= BYTES_AT_ONCE) return rows
    }
  }

  /** The rows that stand of keys; not of all where they have more than a few megabytes. */
  async #findAll(keys: readonly string[]): Promise<ReadonlyMap<string, Row<C>>> {
    const found = new Map<string, Row<C>>()
    const blocks = new Set<unknown>()
    let bytes = 0
    // In the order of the keys each block is read once.
    const sorted = [...new Set(keys)].sort(compareKeys)
    const wanted = keysOf(sorted)
    for (const [at, key] of sorted.entries()) {
      const rows: PlacedStanding[] = []
      // Most blocks are there, and a promise for each key takes longer than its look-up.
      for (const run of this.runs) {
        const cache = this.#cacheOf(run)
        if (!cache.findKnown(key, wanted, at, rows)) await cache.find(key, wanted, at, rows)
      }
      const stands = standsOf(rows, this.floors)
      if (stands === undefined || stands.version.removed) continue
      const { block, n } = stands as PlacedStanding
      const row = (block.read ?? (await block.lines())).row(n, this.#schema)
      blocks.add(row.batch)
      found.set(key, blocks.size > CACHED_BLOCKS ? row.detach() : row)
      bytes += sizeOf([row])
      if (bytes > BYTES_AT_ONCE) break
    }
    return found
  }

  /** Returns the row of a key, where one stands. */
  async find(key: string): Promise<Row<C> | undefined> {
    return (await rowOf(await this.newest(key), this.#schema)) ?? undefined
  }

  /** Returns the newest row of a key, or its removal. {@link rowOf} reads the row. */
  async newest(key: string): Promise<Standing | undefined> {
    const wanted = keysOf([key])
    const found: PlacedStanding[] = []
    for (const run of this.runs) await this.#cacheOf(run).find(key, wanted, 0, found)
    return standsOf(found, this.floors)
  }

  #cacheOf(sequenced: SequencedRun): BlockCache {
    let cache = this.#caches.get(sequenced)
    if (cache === undefined) this.#caches.set(sequenced, (cache = new BlockCache(sequenced)))
    return cache
  }
}

/** Finds keys in a run, and keeps the blocks that were used last. */
class BlockCache {
  readonly #run: SequencedRun
  /** The one that was used last is the last. */
  #blocks: readonly { readonly number: number; readonly block: Block }[] = []

  constructor(run: SequencedRun) {
    this.#run = run
  }

  /** Adds the rows of the key `at` of those that are wanted, which may reach into the next block. */
  async find(key: string, wanted: Keys, at: number, found: PlacedStanding[]): Promise<void> {
    for (let number = blockOf(this.#run.run, key, 0); this.#mayHave(number, key); number++)
      this.#add(this.#known(number) ?? (await this.#read(number)), wanted, at, found)
  }

  /** The same without a promise. Returns false, and adds nothing, where a block is to be read. */
  findKnown(key: string, wanted: Keys, at: number, found: PlacedStanding[]): boolean {
    const number = blockOf(this.#run.run, key, 0)
    if (!this.#mayHave(number, key)) return true
    const block = this.#known(number)
    if (block === undefined || this.#mayHave(number + 1, key)) return false
    this.#add(block, wanted, at, found)
    return true
  }

  #mayHave(number: number, key: string): boolean {
    const { blocks } = this.#run.run.index
    return number < blocks.length && compareKeys(blocks[number]!.firstKey, key) <= 0
  }

  #add(block: Block, wanted: Keys, at: number, found: PlacedStanding[]): void {
    const { run, sequence } = this.#run
    const cursor = RunCursor.over(run, block)
    if (!cursor.seekInBlock(wanted, at)) return
    for (let n = cursor.at; n < block.rows && compareHeads(block.heads, n, wanted, at) === 0; n++)
      found.push(placedAt(block, n, sequence))
  }

  #known(number: number): Block | undefined {
    const used = this.#blocks.find(each => each.number === number)
    if (used !== undefined && used !== this.#blocks.at(-1))
      this.#blocks = [...this.#blocks.filter(each => each !== used), used]
    return used?.block
  }

  async #read(number: number): Promise<Block> {
    const block = await this.#run.run.block(number)
    this.#blocks = [...this.#blocks.slice(1 - CACHED_BLOCKS), { number, block }]
    return block
  }
}

function sizeOf(rows: readonly (Row<Columns> | undefined)[]): number {
  let bytes = 0
  for (const row of rows)
    if (row !== undefined) bytes += row.batch.endOf(row.slot) - row.batch.index.rowStarts[row.slot]!
  return bytes
}

function keysOf(texts: readonly string[]): Keys {
  const keyEnds = new Uint32Array(texts.length)
  let end = 0
  for (let n = 0; n < texts.length; n++) keyEnds[n] = end += Buffer.byteLength(texts[n]!)
  return { keys: Buffer.from(texts.join('')), keyEnds }
}

/** Reads a row that stands; null for a removed or missing one. */
export async function rowOf<C extends Columns>(
  stands: Standing | undefined,
  schema: FeedSchema<C>,
): Promise<Row<C> | null> {
  if (stands === undefined || stands.version.removed) return null
  const { block, n } = stands as PlacedStanding
  return (await block.lines()).row(n, schema)
}
