// Applies a fault to a body, as generators over its chunks. The position of a fault is an offset in
// the body, which may lie past its end.

type Chunks = AsyncGenerator<Uint8Array, void, void>

/** Gives the first `byteCount` bytes, then ends cleanly. */
export async function* shortened(chunks: Chunks, byteCount: number): Chunks {
  let left = byteCount
  try {
    while (left > 0) {
      const { done, value } = await chunks.next()
      if (done) return
      yield value.subarray(0, left)
      left -= value.length
    }
  } finally {
    await chunks.return()
  }
}

/**
 * Gives the first `byteCount` bytes and calls `strike`, which throws, or waits and lets the rest
 * follow.
 */
export async function* struckAt(
  chunks: Chunks,
  byteCount: number,
  strike: () => Promise<void>,
): Chunks {
  let left = byteCount
  let struck = false
  for await (const chunk of chunks) {
    const before = Math.min(left, chunk.length)
    if (before > 0) yield chunk.subarray(0, before)
    left -= before
    if (left === 0 && !struck) {
      struck = true
      await strike()
    }
    if (before < chunk.length) yield chunk.subarray(before)
  }
  if (!struck) await strike()
}

/** Gives all bytes and `byteCount` meaningless bytes after them. */
export async function* lengthened(chunks: Chunks, byteCount: number): Chunks {
  yield* chunks
  for (let left = byteCount; left > 0; left -= PADDING.length) yield PADDING.slice(0, left)
}

/** Leaves out the first `byteCount` bytes. */
export async function* delayed(chunks: Chunks, byteCount: number): Chunks {
  let left = byteCount
  for await (const chunk of chunks) {
    if (left < chunk.length) yield chunk.subarray(left)
    left = Math.max(0, left - chunk.length)
  }
}

/** Flips one bit of the byte at `offset`. */
export async function* bitFlipped(chunks: Chunks, offset: number, bit: number): Chunks {
  let start = 0
  for await (const chunk of chunks) {
    const at = offset - start
    start += chunk.length
    if (at >= 0 && at < chunk.length) chunk[at]! ^= 1 << bit
    yield chunk
  }
}

const PADDING = new Uint8Array(64 * 1024)
