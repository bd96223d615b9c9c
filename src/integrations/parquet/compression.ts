// How the pages of a file are compressed, by the names of the option.

import * as zlib from 'node:zlib'
import { nodeWithoutZstd } from '../../engine/index'
import { ByteBuffer } from './byte-buffer'
import { pageCore } from './page-core'

export type Compression = 'snappy' | 'zstd' | 'gzip' | 'none'

export interface Codec {
  /** The number in the footer. */
  readonly id: number
  /** Compresses a page. The result is the caller's until the next call. */
  compress(page: Uint8Array): Uint8Array
}

const room = new ByteBuffer()

function compressSnappy(page: Uint8Array): Uint8Array {
  room.length = 0
  pageCore().addSnappy(page, room)
  return room.written()
}

/** The types of Node 20 do not have this function. */
const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: (bytes: Uint8Array) => Buffer }

const CODECS: Readonly<Record<Compression, Codec>> = {
  none: { id: 0, compress: page => page },
  snappy: { id: 1, compress: compressSnappy },
  gzip: { id: 2, compress: page => zlib.gzipSync(page) },
  zstd: { id: 6, compress: page => zstdCompressSync!(page) },
}

export const COMPRESSIONS = Object.keys(CODECS) as readonly Compression[]

/** @throws FeedError DEPENDENCY_UNSUPPORTED for zstd where Node does not have it */
export function codecOf(compression: Compression): Codec {
  if (compression !== 'zstd' || zstdCompressSync !== undefined) return CODECS[compression]
  throw nodeWithoutZstd('choose snappy or gzip')
}
