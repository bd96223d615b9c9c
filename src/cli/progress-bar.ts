// The progress of a command on standard error: on a terminal it rewrites one line, elsewhere it
// writes a new line every few seconds.

import type { Writable } from 'node:stream'
import { printableText } from '../index'

/** The time between two drawings on a terminal. */
const DRAW_MS = 100
/** The time between two lines elsewhere, and before the first one. A short run prints none. */
const LINE_MS = 5_000
const BAR_WIDTH = 30
/** The width of a terminal that does not report one. */
const COLUMNS = 80
const CLEAR_LINE = '\r\x1b[K'

export interface ProgressBar {
  /** True on a terminal. */
  readonly isShown: boolean
  /** @param done the finished part of the total; a new total replaces the first one */
  update(done: number, what: string, total?: number): void
  /** Writes a permanent line above the bar. */
  above(line: string): void
  /** Stops the drawing and keeps the bar on the screen. */
  stop(): void
}

/** The part of a terminal stream that the bar needs. */
export type ProgressOutput = Pick<Writable, 'write'> & {
  readonly isTTY?: boolean
  readonly columns?: number
}

/**
 * @param total 0 where it is not known, so that there is no bar beside the text
 * @param isWanted false writes only the lines above the bar
 */
export function progressBar(
  total: number,
  isWanted: boolean,
  output: ProgressOutput = process.stderr,
  now = Date.now,
): ProgressBar {
  const isShown = isWanted && output.isTTY === true
  let drawnAt = isShown ? 0 : now()
  let latest: string | undefined
  const width = () => (output.columns ?? COLUMNS) - 1
  const draw = () => {
    const isCut = latest!.length > width()
    output.write(`${CLEAR_LINE}${isCut ? `${latest!.slice(0, width() - 1)}…` : latest}`)
  }
  return {
    isShown,
    update(done, what, newTotal) {
      if (newTotal !== undefined) total = newTotal
      latest = printableText(what)
      if (total > 0) {
        const share = Math.min(done / total, 1)
        latest = `${isShown ? `${barOf(share, width())} ` : ''}${Math.floor(share * 100)}% | ${latest}`
      }
      if (!isWanted || now() - drawnAt < (isShown ? DRAW_MS : LINE_MS)) return
      drawnAt = now()
      if (isShown) draw()
      else output.write(`${latest}\n`)
    },
    above(text) {
      const line = printableText(text)
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

/** The text beside the bar needs most of a narrow terminal. */
function barOf(share: number, columns: number): string {
  const width = Math.min(BAR_WIDTH, Math.floor(columns / 6))
  const full = Math.round(share * width)
  return '█'.repeat(full) + '░'.repeat(width - full)
}
