// Reads a response's body under a time limit that runs only while somebody waits for the next part.

import type { RangeResponse } from './range-transport'
import { type WaitLimits, waitFor } from './wait'

/** The body's parts, empty ones left out. However the reading ends, the response is discarded. */
export async function* readBody(response: RangeResponse, limits: WaitLimits): AsyncGenerator<Uint8Array, void, void> {
  try {
    const parts = response.body[Symbol.asyncIterator]()
    for (;;) {
      const step = await waitFor(parts.next(), limits)
      if (step.done) return
      if (step.value.length > 0) yield step.value
    }
  } finally {
    response.discard()
  }
}

/** At most `limitBytes` from the start of the body as text, or less when the reading fails: it serves an error that exists already. */
export async function readBodyText(response: RangeResponse, limitBytes: number, limits: WaitLimits): Promise<string> {
  const decoder = new TextDecoder()
  let [text, left] = ['', limitBytes]
  const reading = async () => {
    for await (const part of response.body) {
      text += decoder.decode(part.subarray(0, left), { stream: true })
      left -= part.length
      if (left <= 0) return
    }
  }
  try {
    await waitFor(reading(), limits)
  } catch {
    limits.signal.throwIfAborted()
  } finally {
    response.discard()
  }
  return text
}
