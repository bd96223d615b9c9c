// A register: the newest row that was seen of one key, or the memory that the row was removed, as bytes for a store;
// and what a row that comes in means for it. Which version a row has stands in version-order.ts.
//
//   removed? · time · generation │ row image, absent where removed

import { ByteReader } from '../byte-reader'
import type { ByteWriter } from '../byte-writer'
import { type AnyRow, writeRowImage } from '../row-image'
import { compareVersions, type Version } from './version-order'

/** Bytes before the image. */
const IMAGE_AT = 17

/**
 * What a row did to the register of its key:
 * - `inserted`: no row stood there, now this one does
 * - `updated`: this row stands there in place of another
 * - `deleted`: a row stood there, now none does
 * - `unchanged`: what stands there is the same as before, though its version may be newer now: a repeat, the same content
 *   again, the removal of what was not there (it is remembered, so that an older row cannot bring the item back)
 * - `stale`: the row is older than what stands there, or than its removal, and was dropped
 */
export type ChangeKind = 'inserted' | 'updated' | 'deleted' | 'unchanged' | 'stale'

/** The bytes of a row, and its feed and header line as one text: the same cells under other columns are other content. */
export interface RowContent {
  readonly bytes: Uint8Array
  readonly signature: string
}

export interface Register {
  readonly version: Version
  /** Where the row image begins; undefined where the row was removed. */
  readonly imageAt: number | undefined
}

/** @param origin number of the row's header and file */
export function writeRegister(row: AnyRow, version: Version, origin: number, writer: ByteWriter): Uint8Array {
  writer.byte(Number(version.removed))
  writer.double(version.timeMs)
  writer.double(version.generatedMs)
  if (!version.removed) writeRowImage(row, origin, writer)
  return writer.take()
}

export function readRegister(bytes: Uint8Array): Register {
  const reader = new ByteReader(bytes)
  const removed = reader.byte() === 1
  const version = { removed, timeMs: reader.double(), generatedMs: reader.double() }
  return { version, imageAt: removed ? undefined : IMAGE_AT }
}

export interface Arrival {
  readonly kind: ChangeKind
  /** The register has to be written: `unchanged` alone does not say it, as the version may have moved. */
  readonly writes: boolean
}

/** What stands in a register already, and the two contents to compare where versions do not decide. */
export interface Standing {
  readonly version: Version
  /** Undefined where the row was removed. */
  readonly kept: (() => RowContent) | undefined
  /** Of the row that comes in. */
  readonly content: () => RowContent
}

/** What a row of `version` does to a register; `standing` is undefined where nothing was seen of its key yet. */
export function judgeArrival(version: Version, standing: Standing | undefined): Arrival {
  const newer = standing === undefined ? 1 : compareVersions(version, standing.version)
  if (newer < 0) return { kind: 'stale', writes: false }
  if (version.removed) return { kind: standing?.kept === undefined ? 'unchanged' : 'deleted', writes: newer > 0 }
  if (standing?.kept === undefined) return { kind: 'inserted', writes: true }
  const difference = compareContents(standing.content(), standing.kept())
  if (difference === 0) return { kind: 'unchanged', writes: newer > 0 }
  return newer > 0 || difference > 0 ? { kind: 'updated', writes: true } : { kind: 'stale', writes: false }
}

function compareContents(a: RowContent, b: RowContent): number {
  return Buffer.compare(a.bytes, b.bytes) || Number(a.signature > b.signature) - Number(a.signature < b.signature)
}
