// A run: rows in the order of their keys, in a file that never changes.
//
//   rows of some blocks · heads of these blocks · … · index · its length (4 bytes) · its CRC-32 (4)
//
// A block has up to ROWS_PER_BLOCK rows: for each header line that they have, one page of TSV lines
// as the files had them, which the parser of feed files reads. Larger runs have their pages
// compressed by Brotli. The heads of the rows (row-heads.ts) are as they are in memory. Those of
// several blocks stand together, because most reading needs nothing but heads, and one read of many
// takes little longer than one of a few.
//
// The index is JSON: the header lines, the origins, and the place of each block with its first key and
// checksums.
// A run that was saved while it grew also has the earlier indexes, between its blocks.

import { createHash } from 'node:crypto'
import { crc32, type FeedFile } from '../../engine/index'
import type { HeaderRecord, OriginRecord } from '../origin-record'

export const ROWS_PER_BLOCK = 2048
/** A block ends with the row that brings its lines to this size. */
export const BLOCK_BYTES = 1 << 20
/** That of lines that are not compressed: a merge has a block of many such runs in memory. */
export const PLAIN_BLOCK_BYTES = 1 << 18
/** Bytes behind the index. */
export const TAIL_BYTES = 8
/** The heads of blocks that stand together have about so many bytes. */
export const HEADS_BYTES = 1 << 18

/** The lines of the rows of a block that have one header line. */
export interface PageRecord {
  /** The number of the header line. */
  readonly header: number
  /** Size in the file. */
  readonly bytes: number
  /** Size before compression; 0 where the lines are not compressed. */
  readonly rawBytes: number
  /** The CRC-32 of the bytes in the file. */
  readonly checksum: number
}

export interface BlockRecord {
  /** The offset of the pages in the file. */
  readonly offset: number
  /** The offset of the heads in the file. */
  readonly headOffset: number
  readonly rows: number
  readonly headBytes: number
  /** The CRC-32 of the heads. */
  readonly checksum: number
  readonly firstKey: string
  /** In the order of the file. */
  readonly pages: readonly PageRecord[]
}

/** An origin with the number of its header line. */
export interface RunOrigin extends Omit<OriginRecord, 'header'> {
  readonly header: number
}

export interface RunIndex {
  readonly rows: number
  /** True where no key has several rows. */
  readonly isUnique: boolean
  /** Bytes of all lines before compression. */
  readonly rawBytes: number
  readonly headers: readonly HeaderRecord[]
  readonly origins: readonly RunOrigin[]
  readonly blocks: readonly BlockRecord[]
}

/** What a run holds, as its writer has counted. */
export interface WrittenRun {
  /** The name of the file in its folder. */
  readonly name: string
  readonly rows: number
  /** Bytes of the file. */
  readonly bytes: number
  /** Bytes of all lines before compression. */
  readonly rawBytes: number
  /** The CRC-32 of the index, which has the checksums of all blocks. */
  readonly checksum: number
}

/** Returns a short text that equal header lines share. */
export function signatureOf({ headings, cells }: HeaderRecord): string {
  return createHash('sha256')
    .update(JSON.stringify([headings, cells]))
    .digest('base64')
}

/** Returns a number that two origins have in common where the same cells mean the same. */
export function meaningOf({ header, file }: OriginRecord, signature = signatureOf(header)): number {
  return crc32(Buffer.from(file.feed + signature))
}

/**
 * Returns a text in the order of the files of one time of a feed of one's own: full before changes,
 * then the `id` by code point. Undefined for a file of the service.
 */
export function rankOf({ kind, id }: Pick<FeedFile, 'kind' | 'id'>): string | undefined {
  return id && `${kind === 'full' ? 0 : 1}${id}`
}
