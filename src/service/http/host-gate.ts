// The limits of one host: how many requests are under way at a time, and how far apart they start.
// Requests start in the order in which they asked.

import { pause, Semaphore, type WaitLimits } from '../../engine/index'

export interface GateLimits {
  readonly concurrency: number
  /** Milliseconds between the starts of two requests; 0 for no limit. */
  readonly intervalMs: number
}

export class HostGate {
  readonly #permits: Semaphore
  readonly #intervalMs: number
  #nextStartMs = Number.NEGATIVE_INFINITY

  constructor({ concurrency, intervalMs }: GateLimits) {
    this.#permits = new Semaphore(concurrency)
    this.#intervalMs = intervalMs
  }

  /**
   * Waits until the request may start, and returns the function that ends it. `limits` hold for the
   * whole wait; it fails at once where the next start is later than that.
   */
  async enter(limits: WaitLimits): Promise<() => void> {
    limits.signal.throwIfAborted()
    const latestMs = performance.now() + limits.limitMs
    const leave = await this.#permits.acquire(limits)
    try {
      await this.#start(limits, latestMs)
    } catch (error) {
      leave()
      throw error
    }
    return leave
  }

  async #start({ signal, onLimit }: WaitLimits, latestMs: number): Promise<void> {
    if (this.#intervalMs === 0) return
    const nowMs = performance.now()
    const startMs = Math.max(nowMs, this.#nextStartMs)
    if (startMs > latestMs) throw onLimit()
    this.#nextStartMs = startMs + this.#intervalMs
    if (startMs > nowMs) await pause(startMs - nowMs, signal)
  }
}
