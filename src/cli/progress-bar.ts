// The progress of a command on standard error: a line that is rewritten in place on a terminal,
// else a new line every few seconds.

import type { Writable } from 'node:stream'

/** Between two drawings on a terminal. */
const DRAW_MS = 100
/** Between two lines elsewhere, and before the first: a short run prints none. */
const LINE_MS = 5_000
const BAR_WIDTH = 30
/** Of a terminal that does not say how wide it is. */
const COLUMNS = 80
const CLEAR_LINE = '\r\x1b[K'

export interface ProgressBar {
  /** True on a terminal. */
  readonly isShown: boolean
  /** @param done of the total, which is the one given at the start unless it is given anew */
  update(done: number, what: string, total?: number): void
  /** Writes a line that stays, above the bar. */
  above(line: string): void
  /** Leaves the bar as it stands. */
  stop(): void
}

/** Where progress is written, as a terminal is. */
export type ProgressOutput = Pick<Writable, 'write'> & {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** @param isWanted false: nothing is written but what stands above the bar */
export function progressBar(
  total: number,
  isWanted: boolean,
  output: ProgressOutput = process.stderr,
  now = Date.now,
): ProgressBar {
  const isShown = isWanted && output.isTTY === true
  let drawnAt = isShown ? 0 : now()
  let latest: string | undefined
  const draw = () =>
    output.write(`${CLEAR_LINE}${latest!.slice(0, (output.columns ?? COLUMNS) - 1)}`)
  return {
    isShown,
    update(done, what, newTotal) {
      if (newTotal !== undefined) total = newTotal
      const share = total > 0 ? Math.min(done / total, 1) : 0
      const text = `${Math.floor(share * 100)}% | ${what}`
      latest = isShown ? `${barOf(share)} ${text}` : text
      if (!isWanted || now() - drawnAt < (isShown ? DRAW_MS : LINE_MS)) return
      drawnAt = now()
      if (isShown) draw()
      else output.write(`${latest}\n`)
    },
    above(line) {
      output.write(isShown ? `${CLEAR_LINE}${line}\n` : `${line}\n`)
      if (isShown && latest !== undefined) draw()
    },
    stop() {
      if (!isShown || latest === undefined) return
      draw()
      output.write('\n')
      latest = undefined
    },
  }
}

function barOf(share: number): string {
  const full = Math.round(share * BAR_WIDTH)
  return '█'.repeat(full) + '░'.repeat(BAR_WIDTH - full)
}
