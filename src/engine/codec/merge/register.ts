// A register: the newest row of one key, or a tombstone that remembers its removal, as bytes.
// This module decides what an arriving row does to the register; version-order.ts says which
// version a row has.
//
//   flags · time · generation · checksum of the row's bytes │ row image
//
// A tombstone has neither checksum nor image. The bytes before the image are enough to judge most
// arrivals, so the row need not be read.

import { ByteReader, ByteWriter } from '../byte-records'
import { crc32 } from '../gzip/crc32'
import { type AnyRow, writeRowImage } from '../row-image'
import { compareVersions, type Version } from './version-order'

/** Most registers share the chunks of one writer. */
const shared = new ByteWriter()

/** Flags of a register. */
const REMOVED = 1
const ARRIVED = 2

/** Bytes before the image, which {@link readRegister} reads. */
export const HEAD_BYTES = 21

/**
 * What a row did to the register of its key:
 * - `inserted`: the register had no row, and now has this one
 * - `updated`: the row has replaced another
 * - `deleted`: the register had a row, and now has a tombstone
 * - `unchanged`: the register has the same content as before, though its version may be newer now.
 *   The row is a repeat, has the same content, or removes an item that was not there; the tombstone
 *   of such an item keeps an older row from bringing it back
 * - `stale`: the row is older than the register's row or tombstone, and was dropped
 */
export type ChangeKind = 'inserted' | 'updated' | 'deleted' | 'unchanged' | 'stale'

/**
 * The content of a row: its bytes, and its feed and header line as one text, because the same cells
 * under other columns are other content.
 */
export interface RowContent {
  readonly bytes: Uint8Array
  readonly signature: string
}

/** The version and checksum of a register, or of an arriving row. */
export interface RegisterHead {
  readonly version: Version
  /** CRC-32 of the row's bytes; 0 for a tombstone. */
  readonly checksum: number
}

/** @param bytes the bytes of the row, where the caller has them */
export function headOf(
  row: AnyRow,
  version: Version,
  bytes = row.batch.bytesOf(row.slot),
): RegisterHead {
  return { version, checksum: version.removed ? 0 : crc32(bytes) }
}

/**
 * @param origin number of the row's header and file
 * @param bytes the bytes of the row
 * @param writer takes the register. Default: a writer that never overwrites one
 */
export function writeRegister(
  row: AnyRow,
  { version, checksum }: RegisterHead,
  origin: number,
  bytes: Uint8Array,
  writer = shared,
): Uint8Array {
  beginWith(version, writer)
  if (version.removed) return writer.take()
  writer.uint32(checksum)
  writeRowImage(row, origin, writer, bytes)
  return writer.take()
}

/**
 * Writes the arrival of a row, which is judged later: the register that it would make,
 * which has an image for a removal too.
 */
export function writeArrival(
  row: AnyRow,
  { version, checksum }: RegisterHead,
  origin: number,
  bytes: Uint8Array,
  writer: ByteWriter,
): void {
  beginWith(version, writer, ARRIVED)
  writer.uint32(checksum)
  writeRowImage(row, origin, writer, bytes)
}

/** Tells what {@link writeArrival} wrote from a register. */
export function isArrival(bytes: Uint8Array): boolean {
  return (bytes[0]! & ARRIVED) !== 0
}

function beginWith(version: Version, writer: ByteWriter, flags = 0): void {
  writer.begin()
  writer.byte(version.removed ? flags | REMOVED : flags)
  writer.double(version.timeMs)
  writer.double(version.generatedMs)
}

/** @param bytes the register, or its first {@link HEAD_BYTES} bytes or more */
export function readRegister(bytes: Uint8Array): RegisterHead {
  const reader = new ByteReader(bytes)
  const removed = (reader.byte() & REMOVED) !== 0
  const version = { removed, timeMs: reader.double(), generatedMs: reader.double() }
  return { version, checksum: removed ? 0 : reader.uint32() }
}

export interface Arrival {
  readonly kind: ChangeKind
  /**
   * True where the register has to be written. An `unchanged` register may have a newer version.
   */
  readonly writes: boolean
}

/** Returns true where {@link judgeArrival} needs both contents. */
export function needsContents(arriving: RegisterHead, standing: RegisterHead): boolean {
  if (arriving.version.removed || standing.version.removed) return false
  const newer = compareVersions(arriving.version, standing.version)
  return newer === 0 || (newer > 0 && arriving.checksum === standing.checksum)
}

/**
 * Decides what an arriving row does to a register.
 * @param standing undefined where the key has no register yet
 * @param difference of the contents, by {@link compareContents}. It is not used where {@link
 * needsContents} is false
 * @param newer negative where the arriving row is the older one. Default: as the versions say
 */
export function judgeArrival(
  arriving: RegisterHead,
  standing: RegisterHead | undefined,
  difference: number,
  newer = standing === undefined ? 1 : compareVersions(arriving.version, standing.version),
): Arrival {
  const { removed } = arriving.version
  const isThere = standing !== undefined && !standing.version.removed
  if (newer < 0) return { kind: 'stale', writes: false }
  if (removed) return { kind: isThere ? 'deleted' : 'unchanged', writes: newer > 0 }
  if (!isThere) return { kind: 'inserted', writes: true }
  const isDoubtful = newer === 0 || arriving.checksum === standing.checksum
  const greater = isDoubtful ? difference : 1
  if (greater === 0) return { kind: 'unchanged', writes: newer > 0 }
  return newer > 0 || greater > 0
    ? { kind: 'updated', writes: true }
    : { kind: 'stale', writes: false }
}

/**
 * Compares two contents, which decides between rows of the same version. Any total order would do.
 */
export function compareContents(a: RowContent, b: RowContent): number {
  return (
    Buffer.compare(a.bytes, b.bytes) ||
    Number(a.signature > b.signature) - Number(a.signature < b.signature)
  )
}
