// Writes a run from rows in the order of their keys. Pages are compressed on the threads of Node's
// pool while the next blocks are filled.

import { basename } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { crc32, type DurableFile, type DurableFiles } from '../../engine/index'
import { type HeaderRecord, Numbered, type OriginRecord } from '../origin-record'
import {
  appendHead,
  compareHeads,
  type Keys,
  keyAlone,
  keyOf,
  newHeads,
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
  type RunOrigin,
  signatureOf,
  TAIL_BYTES,
} from './run-format'

const compress = promisify(brotliCompress)
/** Quality 1 takes a third more time for a tenth less. */
const QUALITY = 0
/** Most pages come out in one or two pieces. */
const CHUNK_BYTES = 1 << 18
/** Blocks that are compressed and written while the next one is filled. */
const MOST_AHEAD = 2
/** Pages whose memory waits for the next block. */
const MOST_FREE = 4
const FIRST_PAGE_BYTES = 1 << 14
const LF = 0x0a

/** What a run holds, as its writer has counted. */
export interface WrittenRun {
  /** The name of the file in its folder. */
  readonly name: string
  readonly rows: number
  /** Bytes of the file. */
  readonly bytes: number
  /** Bytes of all lines before compression. */
  readonly rawBytes: number
  /** The CRC-32 of the index, which has the checksums of all blocks. */
  readonly checksum: number
}

export class RunWriter {
  readonly #file: DurableFile
  readonly #name: string
  readonly #isCompressed: boolean
  readonly #headers = new Numbered<HeaderRecord>()
  readonly #origins = new Numbered<RunOrigin>()
  readonly #blocks: BlockRecord[] = []
  /** The blocks whose pages are written, with their heads, which are not. */
  #waiting: { readonly record: Omit<BlockRecord, 'headOffset'>; readonly heads: Uint8Array }[] = []
  #waitingBytes = 0
  #heads = newHeads(ROWS_PER_BLOCK, ROWS_PER_BLOCK * 24)
  #pages = new Map<number, Page>()
  /** Pages whose memory is used again. */
  readonly #free: Page[] = []
  #blockRows = 0
  #blockBytes = 0
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

  private constructor(file: DurableFile, name: string, isCompressed: boolean) {
    this.#file = file
    this.#name = name
    this.#isCompressed = isCompressed
  }

  /** @throws FeedError STATE_IO, also where the file is there already */
  static async create(
    files: DurableFiles,
    path: string,
    isCompressed: boolean,
  ): Promise<RunWriter> {
    return new RunWriter(await files.create(path), basename(path), isCompressed)
  }

  /** Returns the number of an origin in this run. */
  originOf({ header, ...rest }: OriginRecord): number {
    const origin = { header: this.#headers.numberOf(header, signatureOf(header)), ...rest }
    return this.#origins.numberOf(origin, JSON.stringify(origin))
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
    const head = this.#heads
    const at = this.#blockRows++
    appendHead(head, at, heads, n)
    head.origin[at] = origin
    if (at > 0 ? compareHeads(head, at - 1, head, at) === 0 : this.#isRepeated(head))
      this.#isUnique = false
    this.#rows++
    if ((origin & REMOVED) === 0) {
      const { header } = this.#origins.all[origin]!
      let page = this.#pages.get(header)
      if (page === undefined) this.#pages.set(header, (page = this.#free.pop() ?? new Page()))
      page.add(bytes, from, to)
      this.#blockBytes += to - from + 1
    }
    const most = this.#isCompressed ? BLOCK_BYTES : PLAIN_BLOCK_BYTES
    if (this.#blockRows < ROWS_PER_BLOCK && this.#blockBytes < most) return undefined
    return this.#endBlock()
  }

  /** Tells whether all keys of the run are smaller than another. */
  isBefore(keys: Keys, n: number): boolean {
    const at = this.#blockRows - 1
    const last = at < 0 ? this.#last : this.#heads
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
    if (this.#blockRows > 0) await this.#endBlock()
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
      headers: this.#headers.all,
      origins: this.#origins.all,
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
    const heads = this.#heads
    const rows = this.#blockRows
    const pages = [...this.#pages]
    this.#last = keyAlone(heads, rows - 1)
    const record = { rows, firstKey: keyOf(heads, 0) }
    const bytes = writeHeads(heads, rows)
    this.#rawBytes += this.#blockBytes
    this.#pages = new Map()
    this.#blockRows = 0
    this.#blockBytes = 0
    const compressed = Promise.all(pages.map(([, page]) => page.stored(this.#isCompressed)))
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
    for (const [, page] of pages) {
      page.length = 0
      if (this.#free.length < MOST_FREE) this.#free.push(page)
    }
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

/** The lines of one page. A block has as many pages as its rows have header lines. */
class Page {
  #bytes = Buffer.allocUnsafeSlow(FIRST_PAGE_BYTES)
  length = 0

  add(bytes: Uint8Array, from: number, to: number): void {
    const end = this.length + to - from
    if (end >= this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(2 * (end + 1))
      this.#bytes.copy(grown, 0, 0, this.length)
      this.#bytes = grown
    }
    ;(bytes as Buffer).copy(this.#bytes, this.length, from, to)
    this.#bytes[end] = LF
    this.length = end + 1
  }

  /** Returns the lines as the file has them: they lie in the memory of the page, or are compressed. */
  stored(isCompressed: boolean): Promise<Buffer> {
    const { length } = this
    if (!isCompressed) return Promise.resolve(this.#bytes.subarray(0, length))
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: length,
      [constants.BROTLI_PARAM_LGWIN]: 18,
    }
    return compress(this.#bytes.subarray(0, length), { params, chunkSize: CHUNK_BYTES })
  }
}
