// The yardstick: node:zlib inflates the file with the output blocks that suit it best, and nothing
// reads them.

import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { bytesCase, fileBytes } from './macro-case'

/** With the default of 16 KiB it takes about twice the time. */
const CHUNK_BYTES = 1024 * 1024

export const zlib = bytesCase({
  name: 'zlib',
  contender: 'node:zlib',
  title: 'createGunzip alone, 1 MiB output chunks, output dropped',
  ours: false,
  async run(path, use) {
    await pipeline(fileBytes(path), createGunzip({ chunkSize: CHUNK_BYTES }), async blocks => {
      for await (const block of blocks as AsyncIterable<Uint8Array>) use(block)
    })
  },
})
