// Zstandard of node:zlib, which Node has from 22.15 and 23.8 on and its types of Node 20 do not have.

import * as zlib from 'node:zlib'

type Options = { readonly params?: Readonly<Record<number, number>> }
const { zstdCompressSync } = zlib as {
  readonly zstdCompressSync?: (bytes: Uint8Array, options: Options) => Buffer
}
const { ZSTD_c_checksumFlag = 0, ZSTD_c_windowLog = 0 } = zlib.constants as unknown as Record<
  string,
  number
>

export const hasZstd = zstdCompressSync !== undefined

/** One frame with a checksum, as the program `zstd` writes it. */
export function zstd(bytes: Uint8Array, windowLog?: number): Buffer {
  const window = windowLog === undefined ? {} : { [ZSTD_c_windowLog]: windowLog }
  return zstdCompressSync!(bytes, { params: { [ZSTD_c_checksumFlag]: 1, ...window } })
}

/** A frame of a table with a checksum, which the program `zstd` wrote from a pipe. */
export const ZSTD_TABLE = {
  text: 'id\ttitle\n1\tLamp\n2\tChair\n',
  bytes: Buffer.from('KLUv/SQYwQAAaWQJdGl0bGUKMQlMYW1wCjIJQ2hhaXIKTdYYsQ==', 'base64'),
}
