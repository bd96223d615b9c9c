// Reads a response's body under a time limit that runs only while somebody waits for the next part.

import { type WaitLimits, waitFor } from '../wait'
import type { RangeResponse } from './range-transport'

/** Enough for any error that the service describes. */
const ERROR_TEXT_BYTES = 16 * 1024

/** The body's parts, empty ones left out. However the reading ends, the response is discarded. */
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
 * Hands all parts to `onPart` as they arrive, empty ones left out, until one is answered with
 * false. The limit runs throughout. However the reading ends, the response is discarded.
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

/** What `take` throws is a failure of the reading, not of the transport that calls it. */
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
 * Hands the parts of a small body to `onPart`, until one is answered with false. The limit holds for
 * all parts together. However the reading ends, the response is discarded.
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
 * Returns at most `mostBytes` from the start of the body as text, and what has arrived of them where
 * the reading fails: the text only describes an error that exists already.
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
