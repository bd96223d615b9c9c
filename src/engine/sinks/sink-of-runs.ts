// A sink each run of which is an object of its own.

import type { Sink, SinkCounts } from '../pipeline/sink'
import { sinkFailed } from './sink-errors'

type SinkRun<T> = Required<Omit<Sink<T>, 'name' | 'counts'>> & Pick<Sink<T>, 'counts'>

/**
 * Makes a sink that writes one run at a time; a second one is refused.
 * @param target what the runs write, for errors
 */
export function sinkOfRuns<T>(name: string, target: string, newRun: () => SinkRun<T>): Sink<T> {
  let run: SinkRun<T> | undefined
  let counts: SinkCounts | undefined
  /** Runs that were refused and have not called `abort` yet, which must not end the run that writes. */
  let refused = 0
  return {
    name,
    open() {
      if (run !== undefined) {
        refused++
        throw sinkFailed(name, target, 'another run of the same sink is writing it')
      }
      run = newRun()
      return run.open()
    },
    write: item => run!.write(item),
    prepare: () => run!.prepare(),
    async commit() {
      await run!.commit()
      counts = run!.counts?.()
      run = undefined
    },
    counts: () => counts,
    async abort(error) {
      if (refused > 0) {
        refused--
        return
      }
      const ended = run
      run = undefined
      await ended?.abort(error)
    },
  }
}
