// The framing of a ZIP archive (APPNOTE.TXT 6.3.10, 4.3) with one file in it, and with
// directories beside it that hold nothing. It is read from its start as a stream, so the entries are
// those in front of the data; the directory behind them has to agree.
//
//   entry: header ─▶ data ─▶ descriptor, where bit 3 is set    … for each entry
//   directory: a header for each entry ─▶ ZIP64 end, its locator ─▶ end, with a comment

import { excerpt, type FeedError } from '../../errors'
import type { GzipLimits } from '../gzip/limits'
import { DATA, type Fields, skip, take, type Wanted } from './field-reader'
import { FieldsFile } from './packed-file'

const ENTRY = 0x04034b50
const DESCRIPTOR = 0x08074b50
const LISTED = 0x02014b50
const ZIP64_END = 0x06064b50
const ZIP64_LOCATOR = 0x07064b50
const END = 0x06054b50
/** Stands in a field of 4 bytes whose value is in the ZIP64 extra field; 0xffff in one of 2. */
const IN_ZIP64 = 0xffffffff
const ZIP64_EXTRA = 1
/** Bit 0; strong encryption; headers that are masked. */
const ENCRYPTED = 0x2041
const HAS_DESCRIPTOR = 0x08
const STORED = 0
const DEFLATED = 8
const METHODS: Readonly<Record<number, string>> = {
  9: 'Deflate64',
  12: 'bzip2',
  14: 'LZMA',
  93: 'Zstandard',
  95: 'xz',
  99: 'AES encryption',
}
const DAMAGED = 'fetch the file again and use nothing of it'

type Field<T> = Generator<Wanted, T, Buffer>

/** What both headers of an entry say. */
interface Entry {
  readonly name: string
  readonly flags: number
  readonly method: number
  readonly hasZip64: boolean
  readonly crc: number
  readonly packedBytes: number
  readonly bytes: number
  /** Where its first header begins. */
  readonly offset: number
}

export class ZipFile extends FieldsFile {
  #entries = 0
  /** The entry that is being read. */
  #entry: Entry | undefined
  /** The one file. */
  #file: Entry | undefined
  #isFileListed = false
  #hasEnded = false

  constructor(limits: GzipLimits) {
    super('zip', limits)
  }

  protected get mayEnd(): boolean {
    return this.#hasEnded
  }

  /** The size of the data that comes next, where it is stored as it is. */
  get storedBytes(): number | undefined {
    return this.#entry?.method === STORED ? this.#entry.packedBytes : undefined
  }

  protected override *fields(): Fields {
    let signature = yield* this.#signature()
    if (signature === DESCRIPTOR)
      throw this.unsupported(0, 'it is one part of several, so join them and pack the file anew')
    for (; signature === ENTRY; signature = yield* this.#signature()) yield* this.#readEntry()
    const directoryOffset = this.fieldOffset - 4
    let listed = 0
    for (; signature === LISTED; signature = yield* this.#signature(), listed++)
      yield* this.#readListed()
    const endOffset = this.fieldOffset - 4
    const places = [listed, endOffset - directoryOffset, directoryOffset]
    const hasZip64 = signature === ZIP64_END
    if (hasZip64) signature = yield* this.#readZip64End(places)
    if (signature !== END)
      throw this.invalid(this.fieldOffset - 4, `no part of an archive begins here, so ${DAMAGED}`)
    const end = yield take(18)
    const told = [end.readUInt16LE(6), end.readUInt32LE(8), end.readUInt32LE(12)]
    const most = [0xffff, IN_ZIP64, IN_ZIP64]
    const agrees = told.every((n, at) => n === places[at] || (hasZip64 && n === most[at]))
    if (!agrees) throw this.#contradicts(endOffset)
    yield skip(end.readUInt16LE(16))
    if (this.#file === undefined)
      throw this.unsupported(endOffset, 'it has no file in it, so look at it by unzip -l')
    if (listed !== this.#entries || !this.#isFileListed) throw this.#contradicts(directoryOffset)
    this.#hasEnded = true
  }

  *#signature(): Field<number> {
    return (yield take(4)).readUInt32LE()
  }

  *#readEntry(): Fields {
    const offset = this.fieldOffset - 4
    const header = yield take(26)
    const name = yield take(header.readUInt16LE(22))
    const extra = yield take(header.readUInt16LE(24))
    const entry = { ...this.#entryOf(header, name, extra), offset }
    this.#entry = entry
    this.#entries++
    this.beginMember()
    this.#check(entry)
    if (!isDirectory(entry)) this.#file = entry
    const hasDescriptor = (entry.flags & HAS_DESCRIPTOR) !== 0
    const hasData = entry.packedBytes > 0 || (entry.method === DEFLATED && hasDescriptor)
    const dataOffset = this.fieldOffset
    if (hasData) yield DATA
    const found = { ...entry, crc: this.crc, bytes: this.bytes }
    found.packedBytes = this.fieldOffset - dataOffset
    if (isDirectory(entry) && found.bytes > 0)
      throw this.invalid(offset, 'a directory has content, so have the file packed anew')
    const told = hasDescriptor ? yield* this.#descriptor(found) : entry
    this.#verify(hasDescriptor ? dataOffset + found.packedBytes : offset, told, found)
    if (entry === this.#file) this.#file = found
  }

  /** @throws FeedError UNPACK_UNSUPPORTED for an entry that is not read */
  #check(entry: Entry): void {
    const { name, flags, method, offset } = entry
    const unpack = `take out the one that you want, by unzip -p ARCHIVE NAME`
    if (!isDirectory(entry) && this.#file !== undefined)
      throw this.unsupported(
        offset,
        `${quoted(name)} is a second file beside ${quoted(this.#file.name)}: ${unpack}`,
      )
    if (flags & ENCRYPTED)
      throw this.unsupported(
        offset,
        `${quoted(name)} is encrypted: decrypt it, or ask for it in the open`,
      )
    if (method !== STORED && method !== DEFLATED) {
      const by = METHODS[method] ?? 'unknown here'
      const todo = 'unpack it by 7z x -so, or ask for Deflate'
      throw this.unsupported(
        offset,
        `${quoted(name)} is packed by method ${method} (${by}): ${todo}`,
      )
    }
    if (
      method === STORED &&
      flags & HAS_DESCRIPTOR &&
      entry.packedBytes === 0 &&
      !isDirectory(entry)
    )
      throw this.unsupported(
        offset,
        `${quoted(name)} is stored, and its size stands behind it: unpack it by unzip -p, or ask for Deflate`,
      )
  }

  /** @param found what the data has been */
  *#descriptor(found: Entry): Field<Entry> {
    const first = (yield take(4)).readUInt32LE()
    const crc = first === DESCRIPTOR ? (yield take(4)).readUInt32LE() : first
    const isLong = found.hasZip64 || Math.max(found.packedBytes, found.bytes) > IN_ZIP64
    const sizes = yield take(isLong ? 16 : 8)
    const [packedBytes, bytes] = isLong
      ? [readUInt64(sizes, 0), readUInt64(sizes, 8)]
      : [sizes.readUInt32LE(0), sizes.readUInt32LE(4)]
    return { ...found, crc, packedBytes, bytes }
  }

  #verify(byteOffset: number, told: Entry, found: Entry): void {
    const fields = ['crc', 'packedBytes', 'bytes'] as const
    const wrong = fields.find(field => told[field] !== found[field])
    if (wrong === undefined) return
    const what = { crc: 'CRC-32', packedBytes: 'compressed size', bytes: 'size' }[wrong]
    const reason = `the ${what} of ${quoted(told.name)} is ${told[wrong]}, but the data has ${found[wrong]}: ${DAMAGED}`
    throw this.invalid(byteOffset, reason, true)
  }

  *#readListed(): Fields {
    const byteOffset = this.fieldOffset - 4
    const header = yield take(42)
    const name = yield take(header.readUInt16LE(24))
    const extra = yield take(header.readUInt16LE(26))
    yield skip(header.readUInt16LE(28))
    const listed = this.#entryOf(header.subarray(2), name, extra, header.readUInt32LE(38))
    const file = this.#file
    if (listed.offset !== file?.offset) {
      if (isDirectory(listed)) return
      throw this.#contradicts(byteOffset)
    }
    this.#isFileListed = true
    const isSame = listed.name === file.name && listed.method === file.method
    if (!isSame || listed.flags & ENCRYPTED) throw this.#contradicts(byteOffset)
    this.#verify(byteOffset, listed, file)
  }

  /** Returns the signature behind the end record of ZIP64 and its locator. */
  *#readZip64End(places: readonly number[]): Field<number> {
    const offset = this.fieldOffset - 4
    const bytes = readUInt64(yield take(8), 0)
    const end = yield take(44)
    const agrees = places.every((n, at) => readUInt64(end, 20 + 8 * at) === n)
    if (!agrees || bytes < end.length) throw this.#contradicts(offset)
    yield skip(bytes - end.length)
    const locator = yield take(20)
    if (locator.readUInt32LE() !== ZIP64_LOCATOR || readUInt64(locator, 8) !== offset)
      throw this.#contradicts(this.fieldOffset - locator.length)
    return yield* this.#signature()
  }

  #contradicts(byteOffset: number): FeedError {
    const reason = `the directory does not agree with the entries before it, so ${DAMAGED}`
    return this.invalid(byteOffset, reason, true)
  }

  /** @param header from the flags' two bytes before on: both headers have the same fields there */
  #entryOf(header: Buffer, name: Buffer, extra: Buffer, offset = 0): Entry {
    const sizes = [header.readUInt32LE(18), header.readUInt32LE(14), offset]
    const zip64 = zip64Of(extra)
    let at = 0
    const [bytes, packedBytes, place] = sizes.map(size => {
      if (size !== IN_ZIP64) return size
      if (zip64 === undefined || at + 8 > zip64.length) return Number.NaN
      at += 8
      return readUInt64(zip64, at - 8)
    }) as [number, number, number]
    const [flags, method] = [header.readUInt16LE(2), header.readUInt16LE(4)]
    const crc = header.readUInt32LE(10)
    const read = { name: name.toString(), flags, method, crc, bytes, packedBytes, offset: place }
    return { ...read, hasZip64: zip64 !== undefined }
  }
}

function quoted(name: string): string {
  return `"${excerpt(name, 60)}"`
}

function isDirectory({ name }: Entry): boolean {
  return name.endsWith('/')
}

/** Returns the content of the ZIP64 extra field. */
function zip64Of(extra: Buffer): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2))
    if (extra.readUInt16LE(at) === ZIP64_EXTRA)
      return extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2))
  return undefined
}

function readUInt64(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at))
}
