// Writes ZIP archives for tests, by APPNOTE.TXT 6.3.10, 4.3, in each form that writers use.

import { deflateRawSync } from 'node:zlib'
import { tableCrc32 } from '../../../../src/engine/codec/gzip/crc32'

export interface ZipEntry {
  readonly name: string
  readonly content?: Uint8Array
  readonly isStored?: boolean
  /** The sizes stand behind the data: with the signature of the descriptor or without it. */
  readonly descriptor?: 'signed' | 'bare'
  /** The sizes stand in the extra field. */
  readonly isZip64?: boolean
  readonly flags?: number
  readonly method?: number
  /** What the directory says in place of the truth. */
  readonly listed?: { readonly name?: string; readonly crc?: number; readonly bytes?: number }
}

export interface ZipEnd {
  readonly comment?: string
  readonly isZip64?: boolean
  readonly entries?: number
}

const u16 = (...values: number[]) => Buffer.concat(values.map(n => Buffer.from([n & 255, n >> 8])))
const u32 = (...values: number[]) => {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((n, at) => void bytes.writeUInt32LE(n, 4 * at))
  return bytes
}
const u64 = (...values: number[]) => {
  const bytes = Buffer.alloc(8 * values.length)
  values.forEach((n, at) => void bytes.writeBigUInt64LE(BigInt(n), 8 * at))
  return bytes
}
const MOST = 0xffffffff
const TIME = u16(0x6000, 0x5a21)

export function buildZip(entries: readonly ZipEntry[], end: ZipEnd = {}): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const { content = Buffer.alloc(0), descriptor, isZip64 = false, isStored = false } = entry
    const name = Buffer.from(entry.name)
    const data = isStored || content.length === 0 ? Buffer.from(content) : deflateRawSync(content)
    const method = entry.method ?? (isStored || content.length === 0 ? 0 : 8)
    const flags = (entry.flags ?? 0) | (descriptor === undefined ? 0 : 8)
    const crc = tableCrc32(content)
    const sizes = isZip64 ? u32(MOST, MOST) : u32(data.length, content.length)
    const isLater = descriptor !== undefined
    const told = isLater && !isZip64 ? u32(0, 0) : sizes
    const extra = !isZip64
      ? Buffer.alloc(0)
      : Buffer.concat([
          u16(0x5455, 1, 0).subarray(0, 5),
          u16(1, 16),
          isLater ? u64(0, 0) : u64(content.length, data.length),
        ])
    const written: Buffer[] = [
      Buffer.concat([u32(0x04034b50), u16(20, flags, method), TIME, u32(isLater ? 0 : crc), told]),
      u16(name.length, extra.length),
      name,
      extra,
      data,
    ]
    if (descriptor === 'signed') written.push(u32(0x08074b50))
    if (isLater) written.push(u32(crc), (isZip64 ? u64 : u32)(data.length, content.length))
    parts.push(...written)
    const { listed = {} } = entry
    const listedName = Buffer.from(listed.name ?? entry.name)
    const listedExtra = isZip64
      ? Buffer.concat([u16(1, 24), u64(listed.bytes ?? content.length, data.length, offset)])
      : Buffer.alloc(0)
    directory.push(
      u32(0x02014b50),
      u16(20, 20, flags, method),
      TIME,
      u32(listed.crc ?? crc),
      isZip64 ? sizes : u32(data.length, listed.bytes ?? content.length),
      u16(listedName.length, listedExtra.length, 3, 0, 0),
      u32(0, isZip64 ? MOST : offset),
      listedName,
      listedExtra,
      Buffer.from('abc'),
    )
    offset += Buffer.concat(written).length
  }
  const listing = Buffer.concat(directory)
  const count = end.entries ?? entries.length
  const comment = Buffer.from(end.comment ?? '')
  const zip64 = Buffer.concat([
    u32(0x06064b50),
    u64(44),
    u16(45, 45),
    u32(0, 0),
    u64(count, count, listing.length, offset),
    u32(0x07064b50, 0),
    u64(offset + listing.length),
    u32(1),
  ])
  const counts = end.isZip64 ? u16(0, 0, 0xffff, 0xffff) : u16(0, 0, count, count)
  const places = end.isZip64 ? u32(MOST, MOST) : u32(listing.length, offset)
  return Buffer.concat([
    ...parts,
    listing,
    ...(end.isZip64 ? [zip64] : []),
    u32(0x06054b50),
    counts,
    places,
    u16(comment.length),
    comment,
  ])
}
