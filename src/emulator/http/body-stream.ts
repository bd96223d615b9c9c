// Bodies as generators of chunks, and generators as bodies. Nothing is read ahead, and whatever
// ends a body ends its source.

/**
 * A body that pulls a chunk only when one is asked for. `onCancel` runs before the generator is
 * ended: to free what it waits for.
 */
export function streamOf(
  chunks: AsyncGenerator<Uint8Array, void, void>,
  onCancel = () => {},
): ReadableStream<Uint8Array> {
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

/** The chunks of a body; it is cancelled when they are not read to the end. */
export async function* chunksOf(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  const reader = body.getReader()
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value
  } finally {
    await reader.cancel()
  }
}
