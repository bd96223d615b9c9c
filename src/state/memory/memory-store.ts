// The keyed store in memory: a Map from keys to blocks of a byte arena, sorted when a caller lists
// it. An entry takes its value's bytes and about 100 more, its key included.

import {
  anObject,
  anyText,
  arrayOf,
  FeedError,
  knownOptions,
  type OptionNames,
  optionInvalid,
  wholeNumber,
} from '../../engine/index'
import {
  compareKeys,
  type KeyedStore,
  type KeyRange,
  type ReadOptions,
  type StoreEntry,
  type StoreOp,
} from '../keyed-store'
import { ByteArena } from './byte-arena'

/**
 * Entries in a block of a listing. A block stays small, because a row as an object takes ten times
 * its bytes, and several blocks are on their way at a time.
 */
const BLOCK_ENTRIES = 128
/** The limit of V8's Map is 2^24 entries. */
const MAP_LIMIT = 2 ** 24
/** Half of the range of the arena's 32-bit places; the other half is for holes. */
const ARENA_LIMIT = 2 ** 34

export interface MemoryStoreOptions {
  /** Limit of entries. Default: 2^24 - 1. */
  readonly maxEntries?: number
  /**
   * Limit of the bytes of keys and values. Default: 4 GiB; largest: 16 GiB. The holes of replaced
   * values take up to a seventh more.
   */
  readonly maxBytes?: number
}

type Bounds = { readonly [Name in keyof KeyRange]: string | undefined }

const NAMES: OptionNames<MemoryStoreOptions> = { maxEntries: true, maxBytes: true }

/**
 * A store in memory. It fails with STATE_LIMIT where `maxEntries` or `maxBytes` is reached.
 *
 * @example
 * ```ts
 * import { MemoryStore } from 'feedmill'
 *
 * const store = new MemoryStore({ maxEntries: 1_000 })
 * store.write([{ key: 'v1|1|0', value: Uint8Array.of(1) }])
 * console.log(store.getMany(['v1|1|0', 'v1|2|0']).map(value => value?.length))
 * store.close()
 * // => [ 1, undefined ]
 * ```
 */
export class MemoryStore implements KeyedStore {
  readonly #maxEntries: number
  readonly #maxBytes: number
  readonly #blocks = new Map<string, number>()
  #arena = new ByteArena()
  #bytes = 0

  /** @throws FeedError OPTION_INVALID */
  constructor(options: MemoryStoreOptions = {}) {
    const { maxEntries = MAP_LIMIT - 1, maxBytes = 2 ** 32 } = knownOptions(options, NAMES)
    this.#maxEntries = wholeNumber('maxEntries', maxEntries, 0, MAP_LIMIT - 1)
    this.#maxBytes = wholeNumber('maxBytes', maxBytes, 0, ARENA_LIMIT)
  }

  get size(): number {
    return this.#blocks.size
  }

  /** Bytes of all keys and values. */
  get byteLength(): number {
    return this.#bytes
  }

  getMany(keys: readonly string[], options: ReadOptions = {}): (Uint8Array | undefined)[] {
    const firstBytes = firstBytesOf(options)
    return arrayOf('keys', keys).map(key => {
      const block = this.#blocks.get(key)
      return block === undefined ? undefined : this.#arena.get(block, firstBytes)
    })
  }

  /** @throws FeedError STATE_LIMIT, OPTION_INVALID; then nothing is written */
  write(ops: readonly StoreOp[]): void {
    checkOps(ops)
    this.#checkLimits(ops)
    for (const { key, value } of ops) {
      if (value === null) this.#delete(key)
      else this.#set(key, value)
    }
  }

  entries(
    range: KeyRange = {},
    options: ReadOptions = {},
  ): Generator<readonly StoreEntry[], void, void> {
    const { from, to } = anObject('range', range)
    if (from !== undefined) anyText('range.from', from)
    if (to !== undefined) anyText('range.to', to)
    return this.#entries({ from, to }, firstBytesOf(options))
  }

  *#entries(
    { from, to }: Bounds,
    firstBytes: number | undefined,
  ): Generator<readonly StoreEntry[], void, void> {
    const keys: string[] = []
    for (const key of this.#blocks.keys()) {
      if (
        (from === undefined || compareKeys(key, from) >= 0) &&
        (to === undefined || compareKeys(key, to) < 0)
      )
        keys.push(key)
    }
    keys.sort(compareKeys)
    for (let at = 0; at < keys.length; at += BLOCK_ENTRIES) {
      const existing = this.#existing(keys.slice(at, at + BLOCK_ENTRIES), firstBytes)
      if (existing.length > 0) yield existing
    }
  }

  close(): void {
    this.#blocks.clear()
    this.#arena = new ByteArena()
    this.#bytes = 0
  }

  #set(key: string, value: Uint8Array): void {
    const block = this.#blocks.get(key)
    if (block === undefined) this.#blocks.set(ownText(key), this.#arena.put(value))
    else {
      this.#bytes -= key.length + this.#arena.lengthOf(block)
      this.#arena.replace(block, value)
    }
    this.#bytes += key.length + value.length
  }

  #delete(key: string): void {
    const block = this.#blocks.get(key)
    if (block === undefined) return
    this.#bytes -= key.length + this.#arena.lengthOf(block)
    this.#blocks.delete(key)
    this.#arena.free(block)
  }

  #existing(keys: readonly string[], firstBytes: number | undefined): StoreEntry[] {
    const entries: StoreEntry[] = []
    for (const key of keys) {
      const block = this.#blocks.get(key)
      if (block !== undefined) entries.push({ key, value: this.#arena.get(block, firstBytes) })
    }
    return entries
  }

  // The sum of all values is a quick upper bound. Only near a limit the check looks for values that
  // replace others.
  #checkLimits(ops: readonly StoreOp[]): void {
    let bytes = this.#bytes
    for (const { key, value } of ops) if (value !== null) bytes += key.length + value.length
    if (this.size + ops.length <= this.#maxEntries && bytes <= this.#maxBytes) return
    const last = new Map(ops.map(({ key, value }) => [key, value]))
    let entries = this.size
    bytes = this.#bytes
    for (const [key, value] of last) {
      const block = this.#blocks.get(key)
      entries += Number(value !== null) - Number(block !== undefined)
      bytes -= block === undefined ? 0 : key.length + this.#arena.lengthOf(block)
      bytes += value === null ? 0 : key.length + value.length
    }
    if (entries > this.#maxEntries) throw limitError('maxEntries', this.#maxEntries)
    if (bytes > this.#maxBytes) throw limitError('maxBytes', this.#maxBytes)
  }
}

function firstBytesOf(options: ReadOptions): number | undefined {
  const { firstBytes } = anObject('options', options)
  return firstBytes === undefined ? undefined : wholeNumber('firstBytes', firstBytes, 0)
}

function checkOps(ops: readonly StoreOp[]): void {
  for (const op of arrayOf('ops', ops)) {
    const { key, value } = anObject('ops[]', op)
    if (typeof key !== 'string') throw optionInvalid('ops[].key', 'text', key)
    if (value !== null && !(value instanceof Uint8Array))
      throw optionInvalid('ops[].value', 'a Uint8Array or null', value)
  }
}

// Returns a copy, because a key that is part of a longer text would keep all of that text alive.
function ownText(key: string): string {
  return Buffer.from(key).toString()
}

function limitError(option: string, limit: number): FeedError {
  return new FeedError(
    'STATE_LIMIT',
    `the store in memory is full: ${option} is ${limit}; raise it, or use a LevelStore, which goes to disk`,
    { option, limit },
  )
}
