// The compressed bytes of one file while it is fetched: a run that dies goes on where its last
// whole piece ends. `data` is the file's own bytes; `index` says which of them are known to be
// there, a checked line a piece. Data is synced before the index names it, and checked against the
// index when the spool is opened again. What a torn write, another file or another version of this
// program left there is cut off or dropped.

import { join } from 'node:path'
import { crc32 } from '../../codec/gzip/crc32'
import type { FileIdentity } from '../../codec/range/file-identity'
import type { DurableFile, DurableFiles } from '../../disk/durable-files'
import { withFile } from '../../disk/whole-file'
import { checkedLine, readCheckedLines } from './checked-lines'

const FORMAT = 1
/** Bytes read at a time where the data is checked. */
const READ_BYTES = 1 << 20
/** More than the first line of an index has. */
const HEAD_BYTES = 1 << 16

/** What the service said of the file; it is of one generation as long as this stays. */
export interface SpooledFile extends FileIdentity {
  /** `fileIdKey` of the file. */
  readonly key: string
}

export interface SpoolOptions {
  readonly files: DurableFiles
  readonly folder: string
  readonly key: string
  /** Bytes after which a piece is synced. */
  readonly pieceBytes: number
}

interface PieceRecord {
  readonly offset: number
  readonly length: number
  readonly crc: number
}

export class Spool {
  readonly #options: SpoolOptions
  #data: DurableFile
  #index: DurableFile
  #indexBytes = 0
  #file: SpooledFile | undefined
  #rawBytes: number | undefined
  /** Bytes that the index names. */
  #length = 0
  #pending: Uint8Array[] = []
  #pendingBytes = 0

  private constructor(options: SpoolOptions, data: DurableFile, index: DurableFile) {
    this.#options = options
    this.#data = data
    this.#index = index
  }

  /** What is left of an earlier run, or an empty spool. @throws FeedError STATE_IO */
  static async open(options: SpoolOptions): Promise<Spool> {
    const { files, folder } = options
    await files.makeFolder(folder)
    const data = await files.edit(join(folder, 'data'))
    const index = await files.edit(join(folder, 'index')).catch(async error => {
      await data.close()
      throw error
    })
    const spool = new Spool(options, data, index)
    try {
      await spool.#recover()
      await files.syncFolder(folder)
      return spool
    } catch (error) {
      await spool.close()
      throw error
    }
  }

  /** The file whose bytes these are; undefined while the spool is empty. */
  get file(): SpooledFile | undefined {
    return this.#file
  }

  /** Bytes that are here and synced. */
  get length(): number {
    return this.#length
  }

  /** Size of the content, once all of the file is here and proven to be whole. */
  get rawBytes(): number | undefined {
    return this.#rawBytes
  }

  /** Empties the spool, for a file of this identity. */
  async begin(identity: FileIdentity): Promise<void> {
    const file: SpooledFile = { ...identity, key: this.#options.key }
    await this.empty()
    await this.#record({ kind: 'file', format: FORMAT, ...file })
    this.#file = file
  }

  /** The next bytes of the file. They are kept until the piece is full. */
  async append(bytes: Uint8Array): Promise<void> {
    this.#pending.push(bytes)
    this.#pendingBytes += bytes.length
    if (this.#pendingBytes >= this.#options.pieceBytes) await this.flush()
  }

  /** Makes what was appended so far last. */
  async flush(): Promise<void> {
    if (this.#pendingBytes === 0) return
    const bytes = Buffer.concat(this.#pending)
    this.#pending = []
    this.#pendingBytes = 0
    const piece: PieceRecord = { offset: this.#length, length: bytes.length, crc: crc32(bytes) }
    await this.#data.write(piece.offset, bytes)
    await this.#data.sync()
    await this.#record({ kind: 'piece', ...piece })
    this.#length += piece.length
  }

  /**
   * All bytes are here and their content of `rawBytes` is proven: a later run need not do that
   * again.
   */
  async markVerified(rawBytes: number): Promise<void> {
    await this.#record({ kind: 'verified', rawBytes })
    await this.#index.sync()
    this.#rawBytes = rawBytes
  }

  /** Drops what is here: it was of another file, or not whole. */
  async empty(): Promise<void> {
    this.#file = undefined
    this.#rawBytes = undefined
    this.#pending = []
    this.#pendingBytes = 0
    this.#length = 0
    this.#indexBytes = 0
    await this.#index.truncate(0)
    await this.#index.sync()
    await this.#data.truncate(0)
  }

  /** The data, to be read. It is closed with the spool. */
  get data(): DurableFile {
    return this.#data
  }

  async close(): Promise<void> {
    this.#pending = []
    await this.#data.close()
    await this.#index.close()
  }

  async #record(record: object): Promise<void> {
    const line = checkedLine(record)
    await this.#index.write(this.#indexBytes, line)
    this.#indexBytes += line.length
  }

  async #recover(): Promise<void> {
    const lines = readCheckedLines(await this.#index.read(0, await this.#index.size()))
    const [first, ...rest] = lines
    if (
      first === undefined ||
      first.record.kind !== 'file' ||
      first.record.format !== FORMAT ||
      first.record.key !== this.#options.key
    ) {
      return this.empty()
    }
    const { kind: _, format: __, ...file } = first.record
    this.#file = file as unknown as SpooledFile
    this.#indexBytes = first.end
    for (const { record, end } of rest) {
      if (!(await this.#take(record))) break
      this.#indexBytes = end
    }
    await this.#index.truncate(this.#indexBytes)
    await this.#data.truncate(this.#length)
  }

  /** False where the record does not follow from what is here. */
  async #take(record: Readonly<Record<string, unknown>>): Promise<boolean> {
    if (record.kind === 'verified' && typeof record.rawBytes === 'number') {
      this.#rawBytes = record.rawBytes
      return true
    }
    const { offset, length, crc } = record as Partial<PieceRecord>
    if (record.kind !== 'piece' || offset !== this.#length || typeof length !== 'number')
      return false
    if ((await this.#checksum(offset, length)) !== crc) return false
    this.#length += length
    return true
  }

  async #checksum(offset: number, length: number): Promise<number | undefined> {
    let crc = 0
    for (let at = offset; at < offset + length; ) {
      const bytes = await this.#data.read(at, Math.min(READ_BYTES, offset + length - at))
      if (bytes.length === 0) return undefined
      crc = crc32(bytes, crc)
      at += bytes.length
    }
    return crc
  }
}

/**
 * The file that a spool was begun for, without opening it; undefined where it was begun for none.
 */
export async function spooledFile(
  files: DurableFiles,
  folder: string,
): Promise<SpooledFile | undefined> {
  const index = await files.open(join(folder, 'index'))
  if (index === undefined) return undefined
  const bytes = await withFile(index, () => index.read(0, HEAD_BYTES))
  const first = readCheckedLines(bytes)[0]?.record
  return first?.kind === 'file' && first.format === FORMAT
    ? (first as unknown as SpooledFile)
    : undefined
}
