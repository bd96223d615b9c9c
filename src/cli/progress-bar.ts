// A progress bar while a terminal is attached; cli-progress's adapter.

import { SingleBar } from 'cli-progress'

export interface ProgressBar {
  /** False where no terminal is attached, or no bar was wanted: then the calls do nothing. */
  readonly isShown: boolean
  /** @param done of the total, which is the one given at the start unless it is given anew */
  update(done: number, what: string, total?: number): void
  stop(): void
}

/** On standard error, so that standard output stays clean; nothing where no terminal is attached. */
export function progressBar(total: number, isWanted: boolean): ProgressBar {
  if (!isWanted || !process.stderr.isTTY) return { isShown: false, update() {}, stop() {} }
  const bar = new SingleBar({ format: '{bar} {percentage}% | {what}', stream: process.stderr, hideCursor: true })
  bar.start(total, 0, { what: '' })
  return {
    isShown: true,
    update: (done, what, newTotal) => {
      if (newTotal !== undefined) bar.setTotal(newTotal)
      bar.update(done, { what })
    },
    stop: () => bar.stop(),
  }
}
