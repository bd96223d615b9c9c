// Reads the body of a response within a time limit, part by part or a small body as a whole, and
// has the rules for every body of a download: its idle limit, the signature of the file, and the
// errors of a body that fails, ends early or is too long.

import { whatIsNoGzip } from '../../codec/body-kind'
import { contradictsSignature, GZIP_SIGNATURE } from '../../codec/range/file-identity'
import { excerpt, FeedError } from '../../errors'
import { type WaitLimits, waitFor } from '../wait'
import type { RangeSettings } from './range-settings'
import { asTransportError, type RangeResponse } from './range-transport'
import { mayPass } from './retries'
import { timeLimit } from './send-request'

/** A body that drips would have no end: its limit is one for so many bytes, or for its end. */
interface BodyLimits extends WaitLimits {
  /** Default: 1. */
  readonly leastBytes?: number
}

const LEAST_BYTES = 1024

/** Returns the bytes that are progress: 1 KiB, or as large a part of a smaller file. */
export function leastBytesOf(totalBytes = LEAST_BYTES ** 2): number {
  return Math.min(LEAST_BYTES, Math.ceil(totalBytes / LEAST_BYTES))
}

export class BodyRules {
  readonly #settings: RangeSettings
  readonly #signal: AbortSignal

  constructor(settings: RangeSettings, signal: AbortSignal) {
    this.#settings = settings
    this.#signal = signal
  }

  /** Returns the limits of a wait for bytes. The body starts at `byteOffset` of the file. */
  idleLimit(byteOffset: number, leastBytes: number): BodyLimits {
    const { idleMs: limitMs, url } = this.#settings
    const limits = timeLimit('nextBytes', { url, signal: this.#signal, limitMs, byteOffset })
    return { ...limits, leastBytes }
  }

  /**
   * Throws HTTP_CONTENT_TYPE where `bytes`, at `byteOffset` of the file, contradict its signature.
   */
  checkSignature(byteOffset: number, bytes: Uint8Array, response: RangeResponse): void {
    const { signature } = this.#settings
    if (signature === undefined || !contradictsSignature(byteOffset, bytes, signature)) return
    const contentType = excerpt(response.header('content-type') ?? '')
    const text = excerpt(new TextDecoder().decode(bytes.subarray(0, 80)))
    const context = { url: this.#settings.printableUrl, contentType, excerpt: text, byteOffset }
    const message =
      signature === GZIP_SIGNATURE
        ? `the body is no gzip file: ${whatIsNoGzip(bytes) ?? 'check the address'}`
        : 'the body does not begin with the signature of the file: check the address'
    throw new FeedError('HTTP_CONTENT_TYPE', message, context)
  }

  /** Throws HTTP_CONTENT_LENGTH for a body whose end nothing states, unless the caller accepts it. */
  checkEnd(isEndKnown: boolean): void {
    const { acceptUnknownEnd, printableUrl: url } = this.#settings
    if (isEndKnown || acceptUnknownEnd) return
    const message =
      'the body has neither a Content-Length nor chunks, so nothing tells whether it is whole: name its size and SHA-256 (`expected`), or accept it by `acceptUnknownEnd`'
    throw new FeedError('HTTP_CONTENT_LENGTH', message, { url, received: '' })
  }

  /** Returns a failure after which a repeat may help, and throws any other. */
  passing(error: unknown, byteOffset: number): FeedError {
    const failure = asTransportError(error, this.#settings.printableUrl, byteOffset)
    if (!mayPass(failure, this.#signal) || failure.code === 'RANGE_FILE_REPLACED') throw failure
    return failure
  }

  /** Returns the error of a body that ended before its range was complete. */
  shortBody(byteOffset: number): FeedError {
    const context = { url: this.#settings.printableUrl, byteOffset }
    return new FeedError('HTTP_TRANSPORT', `the body ended early at byte ${byteOffset}`, context)
  }

  /** Returns the error of a body with more bytes than its range. */
  tooLong(byteOffset: number, expectedBytes: number): FeedError {
    const context = { url: this.#settings.printableUrl, byteOffset, expectedBytes }
    const message = `the body has more than the ${expectedBytes} bytes of its range`
    return new FeedError('RANGE_BODY_TOO_LONG', message, context)
  }
}

/** Enough for any error that the service describes. */
const ERROR_TEXT_BYTES = 16 * 1024

/**
 * Yields the parts of the body without empty ones. The limit holds for the waits for `leastBytes`;
 * time in which the reader does not wait does not count. However the reading ends, the response is
 * discarded.
 */
export async function* readBody(
  response: RangeResponse,
  limits: BodyLimits,
): AsyncGenerator<Uint8Array, void, void> {
  const { leastBytes = 1 } = limits
  let [bytes, waitedMs] = [0, 0]
  try {
    const parts = response.body[Symbol.asyncIterator]()
    for (;;) {
      const startMs = performance.now()
      const limitMs = limits.limitMs - waitedMs
      if (limitMs <= 0) throw limits.onLimit()
      const step = await waitFor(parts.next(), { ...limits, limitMs })
      if (step.done) return
      bytes += step.value.length
      waitedMs += performance.now() - startMs
      if (bytes >= leastBytes) [bytes, waitedMs] = [0, 0]
      if (step.value.length > 0) yield step.value
    }
  } finally {
    response.discard()
  }
}

/**
 * Passes the parts to `onPart` as they arrive, without empty ones, until it returns false. The
 * limit holds for the time of `leastBytes`. However the reading ends, the response is discarded.
 */
export async function receiveBody(
  response: RangeResponse,
  limits: BodyLimits,
  onPart: (bytes: Uint8Array) => boolean,
): Promise<void> {
  if (response.receive) return receivePushed(response as PushedResponse, limits, onPart)
  for await (const part of readBody(response, limits)) if (!onPart(part)) return
}

type PushedResponse = RangeResponse & Required<Pick<RangeResponse, 'receive'>>

async function receivePushed(
  response: PushedResponse,
  limits: BodyLimits,
  onPart: (bytes: Uint8Array) => boolean,
): Promise<void> {
  const { signal, limitMs, onLimit, leastBytes = 1 } = limits
  let count = 0
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
        count += bytes.length
        if (count >= leastBytes) timer.refresh()
        if (count >= leastBytes) count = 0
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
