// A register: the newest row that was seen of one key, or the memory that the row was removed, as
// bytes for a store; and what a row that comes in means for it. Which version a row has stands in
// version-order.ts.
//
//   removed? · time · generation · checksum of the row's bytes │ row image          (the last two absent where removed)
//
// What stands before the image is enough to judge most arrivals, so that a store need not read the
// row.

import { ByteReader } from '../byte-reader'
import type { ByteWriter } from '../byte-writer'
import { crc32 } from '../gzip/crc32'
import { type AnyRow, writeRowImage } from '../row-image'
import { compareVersions, type Version } from './version-order'

/** Bytes before the image: what {@link readRegister} reads. */
export const HEAD_BYTES = 21

/**
 * What a row did to the register of its key:
 * - `inserted`: no row stood there, now this one does
 * - `updated`: this row stands there in place of another
 * - `deleted`: a row stood there, now none does
 * - `unchanged`: what stands there is the same as before, though its version may be newer now: a
 *   repeat, the same content again, the removal of what was not there (it is remembered, so that an
 *   older row cannot bring the item back)
 * - `stale`: the row is older than what stands there, or than its removal, and was dropped
 */
export type ChangeKind = 'inserted' | 'updated' | 'deleted' | 'unchanged' | 'stale'

/**
 * The bytes of a row, and its feed and header line as one text: the same cells under other columns
 * are other content.
 */
export interface RowContent {
  readonly bytes: Uint8Array
  readonly signature: string
}

/** What a register says of its row, or a row that comes in of itself, without the row's bytes. */
export interface RegisterHead {
  readonly version: Version
  /** CRC-32 of the row's bytes; 0 where it was removed. */
  readonly checksum: number
}

export function headOf(row: AnyRow, version: Version): RegisterHead {
  return { version, checksum: version.removed ? 0 : crc32(row.batch.bytesOf(row.slot)) }
}

/** @param origin number of the row's header and file */
export function writeRegister(
  row: AnyRow,
  { version, checksum }: RegisterHead,
  origin: number,
  writer: ByteWriter,
): Uint8Array {
  writeVersion(version, writer)
  if (version.removed) return writer.take()
  writer.uint32(checksum)
  writeRowImage(row, origin, writer)
  return writer.take()
}

/** The register of an item that no row removed. */
export function writeRemoval(version: Version, writer: ByteWriter): Uint8Array {
  writeVersion(version, writer)
  return writer.take()
}

function writeVersion(version: Version, writer: ByteWriter): void {
  writer.byte(Number(version.removed))
  writer.double(version.timeMs)
  writer.double(version.generatedMs)
}

/** @param bytes of the register, {@link HEAD_BYTES} or more */
export function readRegister(bytes: Uint8Array): RegisterHead {
  const reader = new ByteReader(bytes)
  const removed = reader.byte() === 1
  const version = { removed, timeMs: reader.double(), generatedMs: reader.double() }
  return { version, checksum: removed ? 0 : reader.uint32() }
}

export interface Arrival {
  readonly kind: ChangeKind
  /**
   * The register has to be written: `unchanged` alone does not say it, as the version may have
   * moved.
   */
  readonly writes: boolean
}

/** True where only the two contents can tell what the row does. */
export function needsContents(arriving: RegisterHead, standing: RegisterHead): boolean {
  if (arriving.version.removed || standing.version.removed) return false
  const newer = compareVersions(arriving.version, standing.version)
  return newer === 0 || (newer > 0 && arriving.checksum === standing.checksum)
}

/**
 * What a row does to a register.
 * @param standing undefined where nothing was seen of the key yet
 * @param compare the contents, as {@link compareContents} does it; called only where {@link
 * needsContents} is true
 */
export function judgeArrival(
  arriving: RegisterHead,
  standing: RegisterHead | undefined,
  compare: () => number,
): Arrival {
  const { removed } = arriving.version
  const isThere = standing !== undefined && !standing.version.removed
  const newer = standing === undefined ? 1 : compareVersions(arriving.version, standing.version)
  if (newer < 0) return { kind: 'stale', writes: false }
  if (removed) return { kind: isThere ? 'deleted' : 'unchanged', writes: newer > 0 }
  if (!isThere) return { kind: 'inserted', writes: true }
  const difference = needsContents(arriving, standing) ? compare() : 1
  if (difference === 0) return { kind: 'unchanged', writes: newer > 0 }
  return newer > 0 || difference > 0
    ? { kind: 'updated', writes: true }
    : { kind: 'stale', writes: false }
}

/**
 * The order of two contents, which decides where versions are the same: any will do, as long as it
 * is always the same.
 */
export function compareContents(a: RowContent, b: RowContent): number {
  return (
    Buffer.compare(a.bytes, b.bytes) ||
    Number(a.signature > b.signature) - Number(a.signature < b.signature)
  )
}
