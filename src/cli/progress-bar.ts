// A progress bar while a terminal is attached; cli-progress's adapter.

import { SingleBar } from 'cli-progress'

export interface ProgressBar {
  /** @param done of the total given at the start */
  update(done: number, what: string): void
  stop(): void
}

/** On standard error, so that standard output stays clean; nothing where no terminal is attached. */
export function progressBar(total: number, isWanted: boolean): ProgressBar {
  if (!isWanted || !process.stderr.isTTY) return { update() {}, stop() {} }
  const bar = new SingleBar({ format: '{bar} {percentage}% | {what}', stream: process.stderr, hideCursor: true })
  bar.start(total, 0, { what: '' })
  return { update: (done, what) => bar.update(done, { what }), stop: () => bar.stop() }
}
