// A run of records: values of bytes in the order of their keys, in a temporary file that is written
// once.
//
//   block  : length of the records (4 bytes) · their CRC-32 (4 bytes) · record · record · …
//   record : length of the key (4 bytes) · length of the value (4 bytes) · key in UTF-8 · value

import { ByteWriter, corruptState, crc32 } from '../../engine/index'
import type { ScratchFile, ScratchFolder } from './scratch-folder'

/** A value and its key. */
export interface KeyedRecord {
  readonly key: string
  readonly value: Uint8Array
}

/** Records in the order of their keys. */
export type RecordBlocks = Iterable<readonly KeyedRecord[]> | AsyncIterable<readonly KeyedRecord[]>

/** A row that comes from a block keeps the block in memory. */
const BLOCK_BYTES = 1 << 16
/** Bytes before the records of a block, and before the key of a record. */
const HEAD_BYTES = 8

export interface RunWriteOptions {
  /** A block ends with the record that brings it to this size. Default: 64 KiB. */
  readonly blockBytes?: number
  /** Takes the place of each block, and its first key. */
  readonly onBlock?: (offset: number, firstKey: string) => void
}

export class RecordRun {
  readonly #folder: ScratchFolder
  readonly #file: ScratchFile
  readonly byteLength: number

  private constructor(folder: ScratchFolder, file: ScratchFile, byteLength: number) {
    this.#folder = folder
    this.#file = file
    this.byteLength = byteLength
  }

  /** @throws FeedError STATE_IO, and the failures of `blocks` */
  static async write(
    folder: ScratchFolder,
    blocks: RecordBlocks,
    { blockBytes = BLOCK_BYTES, onBlock }: RunWriteOptions = {},
  ): Promise<RecordRun> {
    const file = await folder.newFile()
    const writer = new ByteWriter()
    let offset = 0
    let length = 0
    const endBlock = async () => {
      const block = writer.take() as Buffer
      block.writeUInt32LE(length, 0)
      block.writeUInt32LE(crc32(block.subarray(HEAD_BYTES)), 4)
      await file.handle.write(offset, block)
      offset += block.length
      length = 0
      writer.rewind()
    }
    for await (const records of blocks)
      for (const { key, value } of records) {
        if (length === 0) {
          onBlock?.(offset, key)
          for (let at = 0; at < HEAD_BYTES; at += 4) writer.uint32(0)
        }
        const bytes = Buffer.from(key)
        writer.uint32(bytes.length)
        writer.uint32(value.length)
        writer.bytes(bytes)
        writer.bytes(value)
        length += HEAD_BYTES + bytes.length + value.length
        if (length >= blockBytes) await endBlock()
      }
    if (length > 0) await endBlock()
    return new RecordRun(folder, file, offset)
  }

  /**
   * Returns a cursor before the first record of the block at `offset`.
   * @throws FeedError STATE_IO, STATE_CORRUPT
   */
  async block(offset: number): Promise<BlockCursor> {
    const { path, handle } = this.#file
    const head = Buffer.from(await handle.read(offset, HEAD_BYTES))
    const length = head.length < HEAD_BYTES ? 0 : head.readUInt32LE(0)
    // A damaged length must not take memory.
    const isThere = length > 0 && offset + HEAD_BYTES + length <= this.byteLength
    const records = isThere ? await handle.read(offset + HEAD_BYTES, length) : head
    if (!isThere || records.length < length || crc32(records) !== head.readUInt32LE(4))
      throw corruptState(path, `the temporary file is damaged at ${offset}`)
    return new BlockCursor(
      Buffer.from(records.buffer, records.byteOffset, length),
      offset + HEAD_BYTES + length,
    )
  }

  /** Removes the file. */
  remove(): Promise<void> {
    return this.#folder.remove(this.#file)
  }
}

/** Walks through the records of one block, whose memory it never changes. */
export class BlockCursor {
  readonly #bytes: Buffer
  /** Where the next block begins. */
  readonly nextOffset: number
  #keyAt = 0
  #valueAt = 0
  #end = 0

  constructor(bytes: Buffer, nextOffset: number) {
    this.#bytes = bytes
    this.nextOffset = nextOffset
  }

  /** Moves before the first record. */
  rewind(): void {
    this.#end = 0
  }

  /** Moves to the next record. Returns false at the end of the block. */
  next(): boolean {
    const bytes = this.#bytes
    const at = this.#end
    if (at >= bytes.length) return false
    this.#keyAt = at + HEAD_BYTES
    this.#valueAt = this.#keyAt + bytes.readUInt32LE(at)
    this.#end = this.#valueAt + bytes.readUInt32LE(at + 4)
    return true
  }

  /** The record, whose value is a view of the block. */
  get record(): KeyedRecord {
    const key = this.#bytes.toString('utf8', this.#keyAt, this.#valueAt)
    return { key, value: this.#bytes.subarray(this.#valueAt, this.#end) }
  }

  /** Compares the keys of two records. */
  compare(other: BlockCursor): number {
    return this.#bytes.compare(
      other.#bytes,
      other.#keyAt,
      other.#valueAt,
      this.#keyAt,
      this.#valueAt,
    )
  }

  /** Tells whether the record has a key. */
  isAt(key: Uint8Array): boolean {
    return this.#bytes.compare(key, 0, key.length, this.#keyAt, this.#valueAt) === 0
  }
}

/**
 * Yields the records of several runs in the order of their keys, in blocks. Equal keys come in the
 * order of the runs.
 */
export async function* mergeRecords(
  runs: readonly RecordRun[],
): AsyncGenerator<readonly KeyedRecord[], void, void> {
  let ends = await Promise.all(runs.filter(({ byteLength }) => byteLength > 0).map(beginOf))
  while (ends.length > 0) {
    const records: KeyedRecord[] = []
    let least = smallest(ends)
    do {
      least = smallest(ends)
      records.push(least.cursor.record)
    } while (least.cursor.next())
    yield records
    const { run, cursor } = least
    if (cursor.nextOffset >= run.byteLength) ends = ends.filter(end => end !== least)
    else {
      least.cursor = await run.block(cursor.nextOffset)
      least.cursor.next()
    }
  }
}

interface RunEnd {
  readonly run: RecordRun
  cursor: BlockCursor
}

async function beginOf(run: RecordRun): Promise<RunEnd> {
  const cursor = await run.block(0)
  cursor.next()
  return { run, cursor }
}

function smallest(ends: readonly RunEnd[]): RunEnd {
  let least = ends[0]!
  for (let n = 1; n < ends.length; n++)
    if (ends[n]!.cursor.compare(least.cursor) < 0) least = ends[n]!
  return least
}
