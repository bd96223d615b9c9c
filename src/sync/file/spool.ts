// The spool of one file: its compressed bytes while it is fetched. A run that was killed continues
// behind the last whole piece. `data` has the bytes of the file, and `index` has a line with a
// checksum for each piece. A piece is synced before the index names it, and compared with the index
// when the spool is opened again. Remains of a torn write, of another file or of another version of
// this program are cut off or removed.
//
//   a line of the index: crc32 of the JSON as 8 hexadecimal digits · space · JSON · line end

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import {
  closing,
  crc32,
  type DurableFile,
  type DurableFiles,
  type FileIdentity,
  orUndo,
} from '../../engine/index'

const FORMAT = 1
/** Bytes of one read where the data is compared with the index. */
const READ_BYTES = 1 << 20
/** The first line of an index is shorter. */
const HEAD_BYTES = 1 << 16

/**
 * The identity that the service gave. Downloads with the same identity are of the same generation
 * of the file.
 */
export interface SpooledFile extends FileIdentity {
  /** `fileIdKey` of the file. */
  readonly key: string
}

export interface SpoolOptions {
  readonly files: DurableFiles
  readonly folder: string
  readonly key: string
  /** Bytes of a piece. Each piece is synced. */
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
  /** The file of these bytes; undefined while the spool is empty. */
  file: SpooledFile | undefined
  /** Number of bytes that the index names. */
  length = 0
  /** The next piece, of which the first `pendingBytes` bytes are filled. */
  #piece: Uint8Array | undefined
  #pendingBytes = 0

  private constructor(options: SpoolOptions, data: DurableFile, index: DurableFile) {
    this.#options = options
    this.#data = data
    this.#index = index
  }

  /** Opens the spool with what an earlier run left, or an empty one. @throws FeedError STATE_IO */
  static async open(options: SpoolOptions): Promise<Spool> {
    const { files, folder } = options
    await files.makeFolder(folder)
    const data = await files.edit(join(folder, 'data'))
    const index = await orUndo(
      () => files.edit(join(folder, 'index')),
      () => data.close(),
    )
    const spool = new Spool(options, data, index)
    const recover = async () => {
      await spool.#recover()
      await files.syncFolder(folder)
    }
    await orUndo(recover, () => spool.close())
    return spool
  }

  /** Empties the spool and begins a file of this identity. */
  async begin(identity: FileIdentity): Promise<void> {
    const file: SpooledFile = { ...identity, key: this.#options.key }
    if (this.#indexBytes > 0) await this.empty()
    await this.#record({ kind: 'file', format: FORMAT, ...file })
    this.file = file
  }

  /**
   * Appends copies of the next bytes of the file. They stay in memory until the piece is full. The
   * bytes themselves are not kept, because each block of the network would keep its memory.
   */
  async append(bytes: Uint8Array): Promise<void> {
    const piece = (this.#piece ??= Buffer.allocUnsafeSlow(this.#options.pieceBytes))
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + piece.length - this.#pendingBytes)
      piece.set(part, this.#pendingBytes)
      this.#pendingBytes += part.length
      at += part.length
      if (this.#pendingBytes === piece.length) await this.#writePiece()
    }
  }

  /**
   * Goes on with bytes that nothing proves to be of the file that was begun, though they follow it.
   * Whoever opens the spool again finds what stands before them.
   */
  async goOnUnproven(identity: FileIdentity): Promise<void> {
    await this.#writePiece()
    await this.#record({ kind: 'unproven' })
    this.file = { ...identity, key: this.#options.key }
  }

  /** Makes durable what was appended, and the index. */
  async flush(): Promise<void> {
    await this.#writePiece()
    await this.#index.sync()
  }

  async #writePiece(): Promise<void> {
    if (this.#piece === undefined || this.#pendingBytes === 0) return
    const bytes = this.#piece.subarray(0, this.#pendingBytes)
    this.#pendingBytes = 0
    const piece: PieceRecord = { offset: this.length, length: bytes.length, crc: crc32(bytes) }
    await this.#data.write(piece.offset, bytes)
    await this.#data.sync()
    await this.#record({ kind: 'piece', ...piece })
    this.length += piece.length
  }

  /** Removes the content of the spool. */
  async empty(): Promise<void> {
    this.file = undefined
    this.#pendingBytes = 0
    this.length = 0
    this.#indexBytes = 0
    await this.#index.truncate(0)
    await this.#index.sync()
    await this.#data.truncate(0)
  }

  /** Returns the SHA-256 of the bytes that the index names. */
  async sha256(): Promise<string> {
    const hash = createHash('sha256')
    for (let at = 0; at < this.length; ) {
      const bytes = await this.#data.read(at, Math.min(READ_BYTES, this.length - at))
      if (bytes.length === 0) break
      hash.update(bytes)
      at += bytes.length
    }
    return hash.digest('hex')
  }

  async close(): Promise<void> {
    this.#piece = undefined
    await this.#data.close()
    await this.#index.close()
  }

  async #record(record: object): Promise<void> {
    const line = checkedLine(record)
    await this.#index.write(this.#indexBytes, line)
    this.#indexBytes += line.length
  }

  async #recover(): Promise<void> {
    const indexBytes = await this.#index.size()
    // Most spools are new ones.
    if (indexBytes === 0) return this.#cutData()
    const lines = readCheckedLines(await this.#index.read(0, indexBytes))
    const file = fileOf(lines)
    if (file?.key !== this.#options.key) return this.empty()
    this.file = file
    this.#indexBytes = lines[0]!.end
    for (const { record, end } of lines.slice(1)) {
      if (!(await this.#take(record))) break
      this.#indexBytes = end
    }
    await this.#index.truncate(this.#indexBytes)
    await this.#cutData()
  }

  /** Removes the bytes that the index does not name. */
  async #cutData(): Promise<void> {
    if ((await this.#data.size()) > this.length) await this.#data.truncate(this.length)
  }

  /** Takes over a record of the index. Returns false where it does not match the data. */
  async #take(record: Readonly<Record<string, unknown>>): Promise<boolean> {
    const { offset, length, crc } = record as Partial<PieceRecord>
    if (record.kind !== 'piece' || offset !== this.length || typeof length !== 'number')
      return false
    if ((await this.#checksum(offset, length)) !== crc) return false
    this.length += length
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

/** Returns the file of a spool without opening the spool; undefined for an empty one. */
export async function spooledFile(
  files: DurableFiles,
  folder: string,
): Promise<SpooledFile | undefined> {
  const index = await files.open(join(folder, 'index'))
  if (index === undefined) return undefined
  const bytes = await closing(index, () => index.read(0, HEAD_BYTES))
  return fileOf(readCheckedLines(bytes))
}

/** Returns the file that the first line of an index names. */
function fileOf([first]: readonly CheckedLine[]): SpooledFile | undefined {
  if (first?.record.kind !== 'file' || first.record.format !== FORMAT) return undefined
  const { kind: _, format: __, ...file } = first.record
  return file as unknown as SpooledFile
}

const LINE_END = 0x0a
/** The checksum and the space. */
const HEAD = 9

export interface CheckedLine {
  readonly record: Readonly<Record<string, unknown>>
  /** Offset of the byte behind the line. */
  readonly end: number
}

export function checkedLine(record: object): Uint8Array {
  const json = Buffer.from(JSON.stringify(record))
  return Buffer.from(`${checksum(json)} ${json}\n`)
}

/** Returns the records up to the first line that is not whole. */
export function readCheckedLines(bytes: Uint8Array): CheckedLine[] {
  const lines: CheckedLine[] = []
  for (let start = 0; ; ) {
    const end = bytes.indexOf(LINE_END, start)
    const record = end < 0 ? undefined : readLine(bytes.subarray(start, end))
    if (record === undefined) return lines
    start = end + 1
    lines.push({ record, end: start })
  }
}

function readLine(line: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  const json = line.subarray(HEAD)
  if (Buffer.from(line.subarray(0, HEAD)).toString('latin1') !== `${checksum(json)} `)
    return undefined
  return JSON.parse(Buffer.from(json).toString()) as Readonly<Record<string, unknown>>
}

function checksum(bytes: Uint8Array): string {
  return crc32(bytes).toString(16).padStart(8, '0')
}
