// The content coding that a client can ask for. A feed file is compressed already, so this
// compresses it a second time without a gain (item-feeds.md, section 3.7). The coded bytes are then
// the representation: ranges and totals count them (RFC 9110, 8.4 and 14.2).

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

/** Returns whether `Accept-Encoding` accepts gzip by its name. A `*` does not count. */
export function asksForGzip(acceptEncoding: string | null): boolean {
  return (acceptEncoding ?? '').split(',').some(part => {
    const [coding = '', ...parameters] = part.split(';').map(text => text.trim().toLowerCase())
    return (
      (coding === 'gzip' || coding === 'x-gzip') &&
      !parameters.some(parameter => /^q=0(\.0*)?$/.test(parameter))
    )
  })
}

/** The largest chunk of {@link gzipped}, in bytes. */
const GZIP_CHUNK_BYTES = 64 * 1024

/** Compresses while it is read. An empty input gives an empty output. */
export async function* gzipped(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  level = 6,
): AsyncGenerator<Uint8Array, void, void> {
  const zip = createGzip({ level, chunkSize: GZIP_CHUNK_BYTES })
  const feeding = pipeline(Readable.from(chunks), zip)
  feeding.catch(() => {}) // A failure also destroys `zip`, and the reader below meets it there.
  try {
    yield* zip as AsyncIterable<Uint8Array>
  } finally {
    zip.destroy()
  }
}
