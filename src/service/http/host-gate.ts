// How many requests one host gets at a time, and how often one starts. Turns are given in the order
// of asking.

import { pause, type WaitLimits, waitFor } from '../../stages/wait'

export interface GateLimits {
  readonly concurrency: number
  /** Between the starts of two requests; 0 for none. */
  readonly intervalMs: number
}

export class HostGate {
  readonly #limits: GateLimits
  readonly #waiting: (() => void)[] = []
  #inside = 0
  #nextStartMs = Number.NEGATIVE_INFINITY

  constructor(limits: GateLimits) {
    this.#limits = limits
  }

  /** Waits for a turn; what it returns gives the turn back, once. */
  async enter(limits: WaitLimits): Promise<() => void> {
    limits.signal.throwIfAborted()
    await this.#turn(limits)
    const leave = this.#leaveOnce()
    try {
      await this.#start(limits)
    } catch (error) {
      leave()
      throw error
    }
    return leave
  }

  async #turn(limits: WaitLimits): Promise<void> {
    if (this.#inside < this.#limits.concurrency) {
      this.#inside++
      return
    }
    let take = () => {}
    const turn = new Promise<void>(resolve => {
      take = resolve
    })
    this.#waiting.push(take)
    try {
      await waitFor(turn, limits)
    } catch (error) {
      const at = this.#waiting.indexOf(take)
      // The turn may have come in the same moment: then it is passed on.
      if (at >= 0) this.#waiting.splice(at, 1)
      else this.#leave()
      throw error
    }
  }

  async #start({ signal, limitMs, onLimit }: WaitLimits): Promise<void> {
    const { intervalMs } = this.#limits
    if (intervalMs === 0) return
    const nowMs = performance.now()
    const startMs = Math.max(nowMs, this.#nextStartMs)
    if (startMs - nowMs > limitMs) throw onLimit()
    this.#nextStartMs = startMs + intervalMs
    if (startMs > nowMs) await pause(startMs - nowMs, signal)
  }

  #leaveOnce(): () => void {
    let left = false
    return () => {
      if (!left) this.#leave()
      left = true
    }
  }

  #leave(): void {
    const next = this.#waiting.shift()
    // A turn that is passed on stays inside.
    if (next) next()
    else this.#inside--
  }
}
