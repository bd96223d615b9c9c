// Writes a run from rows in the order of their keys. Pages are compressed on the threads of Node's
// pool while the next blocks are filled.

import { basename } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { crc32, type DurableFile, type DurableFiles } from '../../engine/index'
import type { OriginRecord } from '../origin-record'
import { BlockBuilder, type Page } from './block-builder'
import {
  compareHeads,
  type Keys,
  keyAlone,
  keyOf,
  REMOVED,
  type RowHeads,
  writeHeads,
} from './row-heads'
import {
  BLOCK_BYTES,
  type BlockRecord,
  HEADS_BYTES,
  PLAIN_BLOCK_BYTES,
  ROWS_PER_BLOCK,
  type RunIndex,
  TAIL_BYTES,
  type WrittenRun,
} from './run-format'
import { RunOrigins } from './run-origins'

const compress = promisify(brotliCompress)
/** Quality 1 takes a third more time for a tenth less. */
const QUALITY = 0
/** Most pages come out in one or two pieces. */
const CHUNK_BYTES = 1 << 18
/** Blocks that are compressed and written while the next one is filled. */
const MOST_AHEAD = 2

export class RunWriter {
  readonly #file: DurableFile
  readonly #name: string
  readonly #isCompressed: boolean
  readonly #mostBytes: number
  readonly #origins = new RunOrigins()
  readonly #blocks: BlockRecord[] = []
  /** The blocks whose pages are written, with their heads, which are not. */
  #waiting: { readonly record: Omit<BlockRecord, 'headOffset'>; readonly heads: Uint8Array }[] = []
  #waitingBytes = 0
  readonly #block = new BlockBuilder(ROWS_PER_BLOCK)
  #rows = 0
  /** The last index that was written. */
  #index: Pick<WrittenRun, 'rows' | 'checksum'> | undefined
  #rawBytes = 0
  #isUnique = true
  /** The last key of the block before. */
  #last: Keys | undefined
  #offset = 0
  /** The blocks that are being compressed and written, in their order. */
  readonly #ahead: Promise<void>[] = []

  private constructor(file: DurableFile, name: string, isCompressed: boolean, mostBytes: number) {
    this.#file = file
    this.#name = name
    this.#isCompressed = isCompressed
    this.#mostBytes = mostBytes
  }

  /**
   * @param blockBytes a block ends with the row that brings its lines to this size
   * @throws FeedError STATE_IO, also where the file is there already
   */
  static async create(
    files: Pick<DurableFiles, 'create'>,
    path: string,
    isCompressed: boolean,
    blockBytes = isCompressed ? BLOCK_BYTES : PLAIN_BLOCK_BYTES,
  ): Promise<RunWriter> {
    return new RunWriter(await files.create(path), basename(path), isCompressed, blockBytes)
  }

  /** Returns the number of an origin in this run. */
  originOf(origin: OriginRecord): number {
    return this.#origins.numberOf(origin)
  }

  /**
   * Adds a row whose key is no smaller than that of the row before. Of equal keys the later row
   * arrived later.
   * @param heads has the head at `n`
   * @param origin the row's number of {@link originOf}, with its mark REMOVED where it has that
   * @param bytes has the row's line from `from` to `to` without its end
   * @returns what the caller has to wait for before it adds more
   */
  add(
    heads: RowHeads,
    n: number,
    origin: number,
    bytes: Uint8Array,
    from: number,
    to: number,
  ): Promise<void> | undefined {
    const block = this.#block
    const { header } = this.#origins.origins[origin & ~REMOVED]!
    block.add(heads, n, origin, header, bytes, from, to)
    const head = block.heads
    const at = block.rows - 1
    if (at > 0 ? compareHeads(head, at - 1, head, at) === 0 : this.#isRepeated(head))
      this.#isUnique = false
    this.#rows++
    if (block.rows < ROWS_PER_BLOCK && block.lineBytes < this.#mostBytes) return undefined
    return this.#endBlock()
  }

  /** Tells whether all keys of the run are smaller than another. */
  isBefore(keys: Keys, n: number): boolean {
    const { heads, rows } = this.#block
    const at = rows - 1
    const last = at < 0 ? this.#last : heads
    return last === undefined || compareHeads(last, Math.max(0, at), keys, n) < 0
  }

  /** Writes the rest and makes the file durable. */
  async end(): Promise<WrittenRun> {
    const run = await this.save()
    await this.#file.close()
    return run
  }

  /** Makes the rows so far durable as a run. Blocks and another index may follow its index. */
  async save(): Promise<WrittenRun> {
    if (this.#block.rows > 0) await this.#endBlock()
    await this.#ahead.at(-1)
    await this.#writeHeads()
    if (this.#index?.rows !== this.#rows) this.#index = await this.#writeIndex()
    return { name: this.#name, bytes: this.#offset, rawBytes: this.#rawBytes, ...this.#index }
  }

  async #writeIndex() {
    const index: RunIndex = {
      rows: this.#rows,
      isUnique: this.#isUnique,
      rawBytes: this.#rawBytes,
      headers: this.#origins.headers,
      origins: this.#origins.origins,
      blocks: this.#blocks,
    }
    const text = Buffer.from(JSON.stringify(index))
    const tail = Buffer.alloc(TAIL_BYTES)
    tail.writeUInt32LE(text.length, 0)
    const checksum = crc32(text)
    tail.writeUInt32LE(checksum, 4)
    await this.#file.write(this.#offset, Buffer.concat([text, tail]))
    await this.#file.sync()
    this.#offset += text.length + TAIL_BYTES
    return { rows: this.#rows, checksum }
  }

  /** Gives up the file, which its owner removes. */
  async abort(): Promise<void> {
    await Promise.allSettled(this.#ahead)
    await this.#file.close()
  }

  /** Tells whether the first key of the block is the last one of the block before. */
  #isRepeated(heads: RowHeads): boolean {
    return this.#last !== undefined && compareHeads(this.#last, 0, heads, 0) === 0
  }

  /** Begins to write the block, and waits where too many are being written. */
  async #endBlock(): Promise<void> {
    const { heads, rows, lineBytes } = this.#block
    const pages = [...this.#block.pages]
    this.#last = keyAlone(heads, rows - 1)
    const record = { rows, firstKey: keyOf(heads, 0) }
    const bytes = writeHeads(heads, rows)
    this.#rawBytes += lineBytes
    this.#block.clear()
    const compressed = Promise.all(pages.map(([, page]) => stored(page, this.#isCompressed)))
    const before = this.#ahead.at(-1)
    const writing = Promise.all([compressed, before]).then(([stored]) =>
      this.#write(record, bytes, pages, stored),
    )
    // The caller that waits for the block gets its failure.
    writing.catch(() => {})
    if (this.#ahead.push(writing) > MOST_AHEAD) await this.#ahead.shift()
  }

  async #write(
    { rows, firstKey }: Pick<BlockRecord, 'rows' | 'firstKey'>,
    heads: Uint8Array,
    pages: readonly (readonly [number, Page])[],
    compressed: readonly Buffer[],
  ): Promise<void> {
    const record = {
      offset: this.#offset,
      rows,
      headBytes: heads.length,
      checksum: crc32(heads),
      firstKey,
      pages: pages.map(([header, { length }], n) => {
        const bytes = compressed[n]!
        const rawBytes = this.#isCompressed ? length : 0
        return { header, bytes: bytes.length, rawBytes, checksum: crc32(bytes) }
      }),
    }
    for (const bytes of compressed) await this.#append(bytes)
    this.#waiting.push({ record, heads })
    this.#waitingBytes += heads.length
    if (this.#waitingBytes >= HEADS_BYTES) await this.#writeHeads()
    for (const [, page] of pages) this.#block.reuse(page)
  }

  async #writeHeads(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    this.#waitingBytes = 0
    let headOffset = this.#offset
    for (const { record, heads } of waiting) {
      this.#blocks.push({ ...record, headOffset })
      headOffset += heads.length
    }
    await this.#append(Buffer.concat(waiting.map(({ heads }) => heads)))
  }

  async #append(bytes: Uint8Array): Promise<void> {
    await this.#file.write(this.#offset, bytes)
    this.#offset += bytes.length
  }
}

/** Returns the lines of a page as the file has them: they lie in the memory of the page, or are compressed. */
function stored({ lines }: Page, isCompressed: boolean): Promise<Buffer> {
  if (!isCompressed) return Promise.resolve(lines)
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: lines.length,
    [constants.BROTLI_PARAM_LGWIN]: 18,
  }
  return compress(lines, { params, chunkSize: CHUNK_BYTES })
}
