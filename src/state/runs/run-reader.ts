// Reads a run. The index is in memory; blocks are read one at a time, first their heads, and their
// rows when they are asked for.

import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import {
  compareKeys,
  corruptState,
  crc32,
  type DurableFile,
  type DurableFiles,
  type Memory,
  OWN_MEMORY,
  stateIo,
} from '../../engine/index'
import { BlockLines, type BlockSource } from './block-lines'
import { REMOVED, type RowHeads, readHeads } from './row-heads'
import type { WrittenRun } from './run-format'
import { type BlockRecord, HEADS_BYTES, type RunIndex, TAIL_BYTES } from './run-format'
import { type Headers, RunOrigins } from './run-origins'

const decompress = promisify(brotliDecompress)

export class Run implements KeyedBlocks {
  readonly index: RunIndex
  readonly path: string
  readonly origins: RunOrigins
  readonly #file: DurableFile

  private constructor(file: DurableFile, path: string, index: RunIndex, headers: Headers) {
    this.#file = file
    this.path = path
    this.index = index
    this.origins = new RunOrigins(headers)
    for (const header of index.headers) this.origins.addHeader(header)
    for (const origin of index.origins) this.origins.add(origin)
  }

  /**
   * @param written what was written there
   * @param headers those of the runs that are read with it, so that rows of several have the same one
   * @throws FeedError STATE_CORRUPT, STATE_IO
   */
  static async open(
    files: Pick<DurableFiles, 'open'>,
    path: string,
    written: Pick<WrittenRun, 'bytes' | 'checksum'>,
    headers: Headers = new Map(),
  ): Promise<Run> {
    const file = await files.open(path)
    if (file === undefined) throw stateIo(path, 'open', 'ENOENT')
    try {
      return new Run(file, path, await readIndex(file, path, written), headers)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  async block(number: number): Promise<Block> {
    const [block] = await this.#blocks(number, number + 1, OWN_MEMORY, OWN_MEMORY)
    return block!
  }

  /**
   * Returns a block, and those behind it whose heads stand with its own.
   * @param headMemory of the heads
   * @param memory of the rows
   */
  blocksFrom(
    first: number,
    headMemory: Memory = OWN_MEMORY,
    memory: Memory = OWN_MEMORY,
  ): Promise<Block[]> {
    const { blocks } = this.index
    let end = blocks[first]!.headOffset
    let behind = first
    do end += blocks[behind++]!.headBytes
    while (
      blocks[behind]?.headOffset === end &&
      end + blocks[behind]!.headBytes - blocks[first]!.headOffset <= HEADS_BYTES
    )
    return this.#blocks(first, behind, headMemory, memory)
  }

  /** Returns blocks whose heads stand together. */
  async #blocks(
    first: number,
    behind: number,
    headMemory: Memory,
    memory: Memory,
  ): Promise<Block[]> {
    const records = this.index.blocks.slice(first, behind)
    const start = records[0]!.headOffset
    const { headOffset, headBytes } = records.at(-1)!
    const bytes = headOffset + headBytes - start
    const all = await this.#file.read(start, bytes, headMemory.take(bytes))
    return records.map(record => {
      const { headOffset: at, headBytes: length, checksum, rows } = record
      const own = all.subarray(at - start, at - start + length)
      const heads = readHeads(this.#checked(own, at, length, checksum), rows, this.path)
      return new Block(this, record, heads, memory, () => this.#pages(record, memory))
    })
  }

  /** Returns the lines of each page of a block. */
  #pages({ offset, pages }: BlockRecord, memory: Memory): Promise<Uint8Array[]> {
    let at = offset
    return Promise.all(
      pages.map(async ({ bytes, rawBytes, checksum }) => {
        const from = at
        at += bytes
        const read = await this.#file.read(from, bytes, memory.take(bytes))
        const compressed = this.#checked(read, from, bytes, checksum)
        if (rawBytes === 0) return compressed
        // One chunk takes the whole page. A chunk that is full would be followed by another one, and
        // none has less than 64 bytes.
        const chunkSize = Math.max(64, rawBytes + 1)
        const lines = await decompress(compressed, { maxOutputLength: chunkSize, chunkSize })
        return new Uint8Array(lines.buffer, lines.byteOffset, lines.length)
      }),
    )
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  #checked(bytes: Uint8Array, offset: number, length: number, checksum: number): Uint8Array {
    if (bytes.length < length || crc32(bytes) !== checksum)
      throw corruptState(this.path, `the bytes of the run at ${offset} have another checksum`)
    return bytes
  }
}

async function readIndex(
  file: DurableFile,
  path: string,
  { bytes, checksum }: Pick<WrittenRun, 'bytes' | 'checksum'>,
): Promise<RunIndex> {
  const size = await file.size()
  const tail = Buffer.from(await file.read(Math.max(0, size - TAIL_BYTES), TAIL_BYTES))
  const length = tail.length < TAIL_BYTES ? 0 : tail.readUInt32LE(0)
  const start = size - TAIL_BYTES - length
  const text = start < 0 ? Buffer.alloc(0) : Buffer.from(await file.read(start, length))
  if (length === 0 || text.length < length || crc32(text) !== tail.readUInt32LE(4))
    throw corruptState(path, 'the index of the run is damaged')
  if (size !== bytes || tail.readUInt32LE(4) !== checksum)
    throw corruptState(path, 'another run is in its place: a backup may have mixed two times')
  return JSON.parse(text.toString()) as RunIndex
}

/** Rows in the order of their keys, in blocks. */
export interface KeyedBlocks extends BlockSource {
  readonly index: Pick<RunIndex, 'isUnique'> & {
    readonly blocks: readonly Pick<BlockRecord, 'firstKey'>[]
  }
  block(number: number): Promise<Block>
  /**
   * Returns a block, and those behind it that are read with it.
   * @param headMemory of the heads
   * @param memory of the rows
   */
  blocksFrom(first: number, headMemory?: Memory, memory?: Memory): Promise<Block[]>
  close(): Promise<void>
}

/**
 * Returns the first block from `from` on that may have a key: the last one that begins with a smaller
 * key, or `from`.
 */
export function blockOf({ index: { blocks } }: KeyedBlocks, key: string, from: number): number {
  let low = from
  let high = blocks.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareKeys(blocks[middle]!.firstKey, key) < 0) low = middle + 1
    else high = middle
  }
  return Math.max(from, low - 1)
}

/** The heads of a block, and its rows where they were read. */
export class Block {
  readonly run: BlockSource
  readonly record: Pick<BlockRecord, 'rows' | 'headBytes' | 'pages'>
  readonly heads: RowHeads
  readonly rows: number
  /** The mean of the bytes of a row and of the names of its columns, about. */
  readonly rowBytes: number
  /** Memory of the rows. */
  readonly memory: Memory
  /** The rows once {@link lines} has read them. */
  read: BlockLines | undefined
  #reading: Promise<BlockLines> | undefined

  readonly #pages: (() => Promise<Uint8Array[]>) | undefined

  /** @param pages of the rows: what reads them, or they themselves */
  constructor(
    run: BlockSource,
    record: Block['record'],
    heads: RowHeads,
    memory: Memory,
    pages: Uint8Array[] | (() => Promise<Uint8Array[]>),
  ) {
    this.memory = memory
    this.run = run
    this.record = record
    this.heads = heads
    this.rows = record.rows
    const { headBytes } = record
    const lines = record.pages.reduce((sum, page) => sum + (page.rawBytes || page.bytes), headBytes)
    const { nameBytes } = run.origins
    const names = record.pages.reduce((sum, { header }) => sum + nameBytes[header]!, 0)
    this.rowBytes = lines / record.rows + names / Math.max(1, record.pages.length)
    if (typeof pages === 'function') this.#pages = pages
    else this.#reading = Promise.resolve((this.read = new BlockLines(this, pages)))
  }

  /** Bytes of memory that the block keeps: its heads, and its rows where they were read. */
  get byteLength(): number {
    return this.record.headBytes + (this.read?.byteLength ?? 0)
  }

  isRemoved(n: number): boolean {
    const origin = this.heads.origin[n]!
    return origin >= REMOVED || this.run.origins.removes[origin]!
  }

  /** Returns {@link rankOf} the file of a row. */
  rank(n: number): string | undefined {
    return this.run.origins.ranks[this.heads.origin[n]! & ~REMOVED]
  }

  generatedMs(n: number): number {
    return this.run.origins.generatedMs[this.heads.origin[n]! & ~REMOVED]!
  }

  /** Returns the number of the mending that a row is of, from 1; 0 for a row as its file had it. */
  mended(n: number): number {
    return this.run.origins.mended[this.heads.origin[n]! & ~REMOVED]!
  }

  /** Returns {@link meaningOf} the origin of a row: equal ones have cells that mean the same. */
  meaning(n: number): number {
    return this.run.origins.meanings[this.heads.origin[n]! & ~REMOVED]!
  }

  /** The rows, which are read at the first call. */
  lines(): Promise<BlockLines> {
    return (this.#reading ??= this.#pages!().then(
      pages => (this.read = new BlockLines(this, pages)),
      error => {
        // A later call reads them again.
        this.#reading = undefined
        throw error
      },
    ))
  }
}
