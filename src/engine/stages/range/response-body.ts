// Reads the body of a response within a time limit: part by part, or a small body as a whole.

import { type WaitLimits, waitFor } from '../wait'
import type { RangeResponse } from './range-transport'

/** Enough for any error that the service describes. */
const ERROR_TEXT_BYTES = 16 * 1024

/**
 * Yields the parts of the body without empty ones. The limit holds for each wait for a part; time
 * in which the reader does not wait does not count. However the reading ends, the response is
 * discarded.
 */
export async function* readBody(
  response: RangeResponse,
  limits: WaitLimits,
): AsyncGenerator<Uint8Array, void, void> {
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

/**
 * Passes the parts to `onPart` as they arrive, without empty ones, until it returns false. The
 * limit holds for the time between two parts. However the reading ends, the response is discarded.
 */
export async function receiveBody(
  response: RangeResponse,
  limits: WaitLimits,
  onPart: (bytes: Uint8Array) => boolean,
): Promise<void> {
  if (response.receive) return receivePushed(response as PushedResponse, limits, onPart)
  for await (const part of readBody(response, limits)) if (!onPart(part)) return
}

type PushedResponse = RangeResponse & Required<Pick<RangeResponse, 'receive'>>

async function receivePushed(
  response: PushedResponse,
  limits: WaitLimits,
  onPart: (bytes: Uint8Array) => boolean,
): Promise<void> {
  const { signal, limitMs, onLimit } = limits
  let release = () => {}
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(onLimit()), limitMs)
      const onAbort = () => reject(signal.reason)
      let isOver = false
      release = () => {
        isOver = true
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      }
      const take = (bytes: Uint8Array) => {
        if (isOver || bytes.length === 0) return
        timer.refresh()
        isOver = !onPart(bytes)
        if (isOver) resolve()
      }
      signal.addEventListener('abort', onAbort)
      if (signal.aborted) onAbort()
      else response.receive(rejecting(take, reject)).then(resolve, reject)
    })
  } finally {
    release()
    response.discard()
  }
}

/** Passes what `take` throws to `reject`, so that the transport does not take it for its own. */
function rejecting(
  take: (bytes: Uint8Array) => void,
  reject: (error: unknown) => void,
): (bytes: Uint8Array) => void {
  return bytes => {
    try {
      take(bytes)
    } catch (error) {
      reject(error)
    }
  }
}

/**
 * Passes the parts of a small body to `onPart` until it returns false. The limit holds for all
 * parts together. However the reading ends, the response is discarded.
 */
export async function readInTime(
  response: RangeResponse,
  limits: WaitLimits,
  onPart: (bytes: Uint8Array) => boolean,
): Promise<void> {
  const reading = async () => {
    for await (const part of readBody(response, limits)) if (!onPart(part)) return
  }
  try {
    await waitFor(reading(), limits)
  } finally {
    response.discard()
  }
}

/**
 * Returns at most `mostBytes` from the start of the body as text. Where the reading fails it
 * returns the text that has arrived, because the caller reports an error already.
 */
export async function readErrorText(
  response: RangeResponse,
  limits: WaitLimits,
  mostBytes = ERROR_TEXT_BYTES,
): Promise<string> {
  const decoder = new TextDecoder()
  let [text, leftBytes] = ['', mostBytes]
  try {
    await readInTime(response, limits, part => {
      text += decoder.decode(part.subarray(0, leftBytes), { stream: true })
      leftBytes -= part.length
      return leftBytes > 0
    })
  } catch {
    limits.signal.throwIfAborted()
  }
  return text
}
