// The frames of a Zstandard file (RFC 8878, section 3.1). Frames are walked block by block, so that
// the end of each is known whatever decodes it: a decoder may take a file that is cut off for one
// that has ended. The blocks are not decoded here.
//
//   magic ─▶ frame: header ─▶ block … ─▶ last block ─▶ checksum ─▶ magic of the next frame …
//        └─▶ size ─▶ a frame that is skipped

import type { GzipLimits } from '../gzip/limits'
import { DATA, FieldReader, type Fields, skip, take } from './field-reader'
import { FieldsFile, ZSTD_SIGNATURE } from './packed-file'

const MAGIC = 0xfd2fb528
const SKIPPED_MAGIC = 0x184d2a50
const SINGLE_SEGMENT = 0x20
const RESERVED = 0x08
const HAS_CHECKSUM = 0x04
/** Sizes of the dictionary ID and the content size, by two bits of the descriptor. */
const ID_BYTES = [0, 1, 2, 4]
const SIZE_BYTES = [0, 2, 4, 8]
/** A block whose one byte is repeated. */
const RUN = 1

export class ZstdFile extends FieldsFile {
  readonly #maxWindowBytes: number
  #mayEnd = false

  constructor(limits: GzipLimits, maxWindowBytes: number) {
    super('zstd', limits)
    this.#maxWindowBytes = maxWindowBytes
  }

  protected get mayEnd(): boolean {
    return this.#mayEnd
  }

  protected override *fields(): Fields {
    for (;;) {
      const at = this.fieldOffset
      const magic = (yield take(ZSTD_SIGNATURE.length)).readUInt32LE()
      this.#mayEnd = false
      this.beginMember()
      if (magic === MAGIC) yield DATA
      else if ((magic & ~0xf) === SKIPPED_MAGIC) yield skip((yield take(4)).readUInt32LE())
      else throw this.invalid(at, 'other bytes stand behind the last frame, so remove them')
      this.#mayEnd = true
    }
  }

  /** Returns a reader of the frame whose magic ends at `startOffset`: it ends where the frame ends. */
  newFrame(startOffset: number): FieldReader {
    return new FieldReader(this.#frame(startOffset))
  }

  *#frame(startOffset: number): Fields {
    const descriptor = (yield take(1)).readUInt8()
    if (descriptor & RESERVED) throw this.invalid(startOffset, 'a reserved bit is set')
    const isSingle = (descriptor & SINGLE_SEGMENT) !== 0
    const window = isSingle ? 0 : windowBytes((yield take(1)).readUInt8())
    const id = yield take(ID_BYTES[descriptor & 3]!)
    const size = yield take(SIZE_BYTES[descriptor >> 6]! || Number(isSingle))
    if (id.some(byte => byte !== 0))
      throw this.unsupported(startOffset, 'it needs a dictionary, so ask for it without one')
    const neededBytes = isSingle ? contentBytes(size) : window
    if (neededBytes > this.#maxWindowBytes)
      throw this.limitReached('maxWindowBytes', this.#maxWindowBytes)
    for (let isLast = false; !isLast; ) {
      const header = (yield take(3)).readUIntLE(0, 3)
      isLast = (header & 1) !== 0
      yield skip(((header >> 1) & 3) === RUN ? 1 : header >> 3)
    }
    if (descriptor & HAS_CHECKSUM) yield skip(4)
  }
}

/** RFC 8878, 3.1.1.1.2. */
function windowBytes(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3))
  return base + (base / 8) * (descriptor & 7)
}

/** RFC 8878, 3.1.1.1.4. */
function contentBytes(field: Buffer): number {
  if (field.length === 8) return Number(field.readBigUInt64LE())
  return field.readUIntLE(0, field.length) + (field.length === 2 ? 256 : 0)
}
