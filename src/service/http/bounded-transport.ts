// A transport with limits: the requests to one host at a time and per second, and the wait for a
// response. All requests of the clients pass through it: downloads, JSON and tokens.

import type { RangeResponse, Secrets } from '../../engine/index'
import {
  orUndo,
  pause,
  type ReportingTransport,
  Semaphore,
  sendInTime,
  timeLimit,
  untilEnd,
  type WaitLimits,
  waitFor,
  watchedTransport,
} from '../../engine/index'
import type { HttpRequest, HttpTransport } from './http-transport'
import type { RequestSettings } from './request-settings'

export class BoundedTransport implements HttpTransport, ReportingTransport {
  readonly reportsRequests = true
  readonly #inner: HttpTransport
  readonly #settings: RequestSettings
  readonly #gates = new Map<string, ReturnType<typeof hostGate>>()

  constructor(inner: HttpTransport, settings: RequestSettings, secrets: Secrets) {
    this.#inner = watchedTransport(inner, secrets)
    this.#settings = settings
  }

  /**
   * Throws HTTP_TIMEOUT and what the inner transport throws. A request counts as under way until
   * its body is read or discarded.
   */
  async send(request: HttpRequest): Promise<RangeResponse> {
    const { url, signal } = request
    const { queueTimeoutMs, headersTimeoutMs } = this.#settings
    const turn = timeLimit('turn', { url, signal, limitMs: queueTimeoutMs })
    const startedMs = performance.now()
    const leave = await this.#gate(url)(turn)
    const sendNow = async () => {
      await this.#takeSharedTurn(turn, performance.now() - startedMs)
      const limits = timeLimit('response', { url, signal, limitMs: headersTimeoutMs })
      return untilEnd(await sendInTime(this.#inner, request, limits), leave)
    }
    return orUndo(sendNow, async () => leave())
  }

  /** The limit holds for this wait and the one before it together. */
  async #takeSharedTurn(turn: WaitLimits, spentMs: number): Promise<void> {
    const { sharedTurn } = this.#settings
    if (sharedTurn === undefined) return
    const limitMs = Math.max(1, turn.limitMs - spentMs)
    const taking = sharedTurn({ signal: turn.signal, limitMs })
    if (!(await waitFor(taking, { ...turn, limitMs }))) throw turn.onLimit()
  }

  /** Gates are never removed, because a profile has few hosts. */
  #gate(url: string): ReturnType<typeof hostGate> {
    const { host } = new URL(url)
    const gate = this.#gates.get(host) ?? hostGate(this.#settings)
    this.#gates.set(host, gate)
    return gate
  }
}

type GateLimits = Pick<RequestSettings, 'concurrencyPerHost' | 'intervalMs'>

/**
 * The limits of one host: how many requests are under way at a time, and how far apart they start.
 * Requests start in the order in which they asked.
 * @returns a function that waits until a request may start, and gives the function that ends it.
 * Its limits hold for the whole wait; it fails at once where the next start is later than that
 */
export function hostGate({ concurrencyPerHost, intervalMs }: GateLimits) {
  const permits = new Semaphore(concurrencyPerHost)
  let nextStartMs = Number.NEGATIVE_INFINITY
  const started = async ({ signal, onLimit }: WaitLimits, latestMs: number) => {
    if (intervalMs === 0) return
    const nowMs = performance.now()
    const startMs = Math.max(nowMs, nextStartMs)
    if (startMs > latestMs) throw onLimit()
    nextStartMs = startMs + intervalMs
    if (startMs > nowMs) await pause(startMs - nowMs, signal)
  }
  return async (limits: WaitLimits): Promise<() => void> => {
    limits.signal.throwIfAborted()
    const latestMs = performance.now() + limits.limitMs
    const leave = await permits.acquire(limits)
    const start = () => started(limits, latestMs)
    await orUndo(start, async () => leave())
    return leave
  }
}
