// A sink each run of which is an object of its own.

import { type FilePlace, FilesOfRun } from '../disk/files-of-run'
import type { Sink } from '../pipeline/sink'
import { sinkFailed } from './sink-errors'

type SinkRun<T> = Required<Omit<Sink<T>, 'name' | 'writes'>>

/** What the runs of a sink write. */
export interface SinkOutput {
  /** The output in errors. */
  readonly name: string
  /** The files among it. */
  readonly writes: readonly FilePlace[]
}

/**
 * Makes a sink that writes one run at a time; a second one is refused.
 * @throws FeedError OPTION_INVALID where a run is opened whose output is in a state folder
 */
export function sinkOfRuns<T>(name: string, output: SinkOutput, newRun: () => SinkRun<T>): Sink<T> {
  const { name: target, writes } = output
  let run: SinkRun<T> | undefined
  /** Runs that were refused and have not called `abort` yet, which must not end the run that writes. */
  let refused = 0
  return {
    name,
    writes,
    open() {
      // A sink may run in another one, which does not pass on what it writes.
      new FilesOfRun().add({ writes })
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
      run = undefined
    },
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
