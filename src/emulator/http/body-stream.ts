// Turns bodies into generators of chunks and generators into bodies. Nothing is read ahead, and the
// end of a body ends its source.

export type Chunks = AsyncGenerator<Uint8Array, void, void>

/**
 * Makes a body that pulls a chunk only when its reader asks for one. `onCancel` runs before the
 * generator ends, to stop its waits.
 */
export function streamOf(chunks: Chunks, onCancel = () => {}): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await chunks.next()
        if (next.done) controller.close()
        else controller.enqueue(next.value)
      },
      async cancel() {
        onCancel()
        await chunks.return()
      },
    },
    { highWaterMark: 0 },
  )
}

/** Yields the chunks of a body. Cancels the body when the caller stops early. */
export async function* chunksOf(body: ReadableStream<Uint8Array>): Chunks {
  yield* body
}
