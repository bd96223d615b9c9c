// Builds gzip members field by field for the tests of the framing.

import { crc32, deflateRawSync } from 'node:zlib'

export interface MemberFields {
  readonly flags?: number
  readonly extra?: Uint8Array
  readonly name?: string
  readonly comment?: string
  /** True adds a correct FHCRC; a number is written in its place. */
  readonly headerChecksum?: true | number
  /** Raw deflate data that replaces that of the content. */
  readonly deflated?: Uint8Array
  readonly crc?: number
  readonly size?: number
}

export function gzipHeader(fields: MemberFields = {}): Buffer {
  const { extra, name, comment, headerChecksum } = fields
  const flags =
    fields.flags ??
    (headerChecksum ? 2 : 0) |
      (extra ? 4 : 0) |
      (name === undefined ? 0 : 8) |
      (comment === undefined ? 0 : 16)
  const parts: Uint8Array[] = [Buffer.from([0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 0, 255])]
  if (extra) parts.push(uint16(extra.length), Buffer.from(extra))
  for (const text of [name, comment])
    if (text !== undefined) parts.push(Buffer.from(`${text}\0`, 'latin1'))
  const soFar = Buffer.concat(parts)
  if (headerChecksum === undefined) return soFar
  return Buffer.concat([
    soFar,
    uint16(headerChecksum === true ? crc32(soFar) & 0xffff : headerChecksum),
  ])
}

export function gzipTrailer(content: Uint8Array, fields: MemberFields = {}): Buffer {
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(fields.crc ?? crc32(content), 0)
  trailer.writeUInt32LE(fields.size ?? content.length, 4)
  return trailer
}

export function gzipMember(content: Uint8Array | string, fields: MemberFields = {}): Buffer {
  const bytes = Buffer.from(content as Uint8Array)
  return Buffer.concat([
    gzipHeader(fields),
    fields.deflated ?? deflateRawSync(bytes),
    gzipTrailer(bytes, fields),
  ])
}

/** Cuts `bytes` before each of the offsets. */
export function cutAt(bytes: Uint8Array, ...offsets: readonly number[]): Uint8Array[] {
  const ends = [...offsets, bytes.length]
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

export function byteByByte(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, byte => Uint8Array.of(byte))
}

/** Text like that of a feed: repetitive, with some new bytes in each row. */
export function feedText(rows: number, seed = 1): Buffer {
  let state = seed
  const next = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0)
  return Buffer.from(
    Array.from(
      { length: rows },
      () => `v1|${next()}|0\tVintage caméra ${next() % 97}\t${next() % 1000}.99\tUSD\n`,
    ).join(''),
  )
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}
