// The rows of one feed in sorted runs: the newest row of every key, listed in the order of the keys
// or found by a key.

import {
  type Columns,
  compareKeys,
  type FeedSchema,
  type Row,
  type Version,
} from '../../engine/index'
import { BlockCache } from './block-cache'
import type { BlockLines } from './block-lines'
import { LookUps } from './look-ups'
import {
  type Floor,
  isThere,
  mergeRuns,
  type PlacedStanding,
  placedAt,
  type SequencedRun,
  type Standing,
  standsOf,
} from './merge-runs'
import { compareHeads, type Keys } from './row-heads'
import { RunCursor } from './run-cursor'
import type { Block } from './run-reader'

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

/** A row that stands under a key that was looked up. */
export interface FoundRow<C extends Columns> {
  readonly row: Row<C>
  readonly version: Version
}

/** Keys of {@link RunTable.findSome} whose blocks are read at the same time. */
const AT_ONCE = 4
/** Places that are yielded together, and the bytes of their rows, about. */
const PLACES_AT_ONCE = 512
const BYTES_AT_ONCE = 1 << 22

export class RunTable<C extends Columns> {
  readonly runs: readonly SequencedRun[]
  readonly floors: readonly Floor[]
  readonly #schema: FeedSchema<C>
  readonly #cache: BlockCache
  readonly #atOnce: number
  readonly #lookUps = new LookUps(key => this.#lookUp(key))

  /**
   * @param cache of the blocks that look-ups read
   * @param atOnce keys whose blocks {@link findSome} reads at the same time
   */
  constructor(
    schema: FeedSchema<C>,
    runs: readonly SequencedRun[],
    floors: readonly Floor[],
    cache = new BlockCache(),
    atOnce = AT_ONCE,
  ) {
    this.#schema = schema
    this.runs = runs
    this.floors = floors
    this.#cache = cache
    this.#atOnce = atOnce
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
  async findSome(keys: readonly string[]): Promise<readonly (FoundRow<C> | undefined)[]> {
    for (let count = keys.length; ; count >>= 1) {
      const some = keys.slice(0, count)
      const found = await this.#findAll(some.filter(key => key !== ''))
      const rows = some.map(key => found.get(key))
      const bytes = rows.reduce((sum, each) => sum + (each ? sizeOf(each.row) : 0), 0)
      if (count <= 1 || bytes <= BYTES_AT_ONCE) return rows
    }
  }

  /** The rows that stand of keys; not of all where they have more than a few megabytes. */
  async #findAll(keys: readonly string[]): Promise<ReadonlyMap<string, FoundRow<C>>> {
    const found = new Map<string, FoundRow<C>>()
    const batches = new Set<unknown>()
    let bytes = 0
    // In the order of the keys each block is read once.
    const sorted = [...new Set(keys)].sort(compareKeys)
    for (let from = 0; from < sorted.length && bytes <= BYTES_AT_ONCE; from += this.#atOnce) {
      const some = sorted.slice(from, from + this.#atOnce)
      const stands = await this.#standsOf(some)
      const unread = stands.filter(isThere).filter(({ block }) => block.read === undefined)
      if (unread.length > 0) await Promise.all(unread.map(({ block }) => block.lines()))
      for (const [at, stood] of stands.entries()) {
        if (!isThere(stood)) continue
        const { block, n, version } = stood
        const row = block.read!.row(n, this.#schema)
        this.#cache.count(block)
        batches.add(row.batch)
        const own = batches.size > this.#atOnce ? row.detach() : row
        found.set(some[at]!, { row: own, version })
        bytes += sizeOf(row)
      }
    }
    return found
  }

  /** Returns a copy of the row of a key, where one stands. Look-ups that wait together share reads. */
  find(key: string): Promise<FoundRow<C> | undefined> {
    return this.#lookUps.find(key)
  }

  async #lookUp(key: string): Promise<FoundRow<C> | undefined> {
    const stands = await this.newest(key)
    if (!isThere(stands)) return undefined
    const { block, n, version } = stands
    const lines = block.read ?? (await block.lines())
    const row = lines.copyOf(n, this.#schema)
    this.#cache.count(block)
    return { row, version }
  }

  /** Returns the newest row of a key, or its removal. {@link rowOf} reads the row. */
  async newest(key: string): Promise<Standing | undefined> {
    return (await this.#standsOf([key]))[0]
  }

  /** What stands of keys, in their order. */
  async #standsOf(keys: readonly string[]): Promise<(Standing | undefined)[]> {
    const blocks = keys.map(key => this.runs.map(({ run }) => this.#cache.blocksOf(run, key)))
    // Most blocks are there, and a promise for each key takes longer than its look-up.
    const missing = blocks.flat(2).filter(({ block }) => block === undefined)
    if (missing.length > 0) await Promise.all(missing.map(({ reading }) => reading))
    const wanted = keysOf(keys)
    return blocks.map((ofRuns, at) => {
      const rows: PlacedStanding[] = []
      for (const [n, ofRun] of ofRuns.entries())
        for (const { block } of ofRun) addRows(this.runs[n]!, block!, wanted, at, rows)
      return standsOf(rows, this.floors)
    })
  }
}

/** Adds the rows of a block that have the key `at` of those that are wanted. */
function addRows(
  { run, sequence }: SequencedRun,
  block: Block,
  wanted: Keys,
  at: number,
  found: PlacedStanding[],
): void {
  const cursor = RunCursor.over(run, block)
  if (!cursor.seekInBlock(wanted, at)) return
  for (let n = cursor.at; n < block.rows && compareHeads(block.heads, n, wanted, at) === 0; n++)
    found.push(placedAt(block, n, sequence))
}

function sizeOf({ batch, slot }: Row<Columns>): number {
  return batch.bytesOf(slot).length
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
  return isThere(stands) ? (await stands.block.lines()).row(stands.n, schema) : null
}
