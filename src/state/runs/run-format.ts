// A run: rows in the order of their keys, in a file that never changes.
//
//   block · block · … · index · length of the index (4 bytes) · its CRC-32 (4 bytes)
//
// A block has up to ROWS_PER_BLOCK rows. First come their heads (row-heads.ts) as they are in
// memory, so that a look-up reads no more than them. Then come the rows: for each header line that
// they have, one page of TSV lines as the files had them, which the parser of feed files reads.
// Larger runs have their pages compressed by Brotli.
//
// The index is JSON: the origins, and the place of each block with its first key and checksums.
// Between blocks stand the indexes of the times at which a part of the run was saved.

import { crc32 } from '../../engine/index'
import type { OriginRecord } from '../origin-record'

export const ROWS_PER_BLOCK = 2048
/** A block ends with the row that brings its lines to this size. */
export const BLOCK_BYTES = 1 << 20
/** That of lines that are not compressed: a merge has a block of many such runs in memory. */
export const PLAIN_BLOCK_BYTES = 1 << 18
/** Bytes behind the index. */
export const TAIL_BYTES = 8
export const FORMAT = 'feedmill-run-1'

/** The lines of the rows of a block that have one header line. */
export interface PageRecord {
  /** The number of the first origin with that header line. */
  readonly header: number
  /** Size in the file. */
  readonly bytes: number
  /** Size before compression; 0 where the lines are not compressed. */
  readonly rawBytes: number
  /** The CRC-32 of the bytes in the file. */
  readonly checksum: number
}

export interface BlockRecord {
  /** The offset of the block in the file. Its heads are first. */
  readonly offset: number
  readonly rows: number
  readonly headBytes: number
  /** The CRC-32 of the heads. */
  readonly checksum: number
  readonly firstKey: string
  /** Behind the heads, in this order. */
  readonly pages: readonly PageRecord[]
}

export interface RunIndex {
  readonly format: typeof FORMAT
  readonly rows: number
  /** True where no key has several rows. */
  readonly isUnique: boolean
  /** Bytes of all lines before compression. */
  readonly rawBytes: number
  readonly origins: readonly OriginRecord[]
  readonly blocks: readonly BlockRecord[]
}

/** Returns the header line of an origin as text, which equal header lines share. */
export function signatureOf({ headings, cells }: OriginRecord): string {
  return JSON.stringify(cells === undefined ? headings : [headings, cells])
}

/** Returns a number that two origins have in common where the same cells mean the same. */
export function meaningOf(origin: OriginRecord): number {
  return crc32(Buffer.from(origin.file.feed + signatureOf(origin)))
}
