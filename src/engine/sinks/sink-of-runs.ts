// A sink each run of which is an object of its own.

import { type FilePlace, FilesOfRun } from '../disk/files-of-run'
import type { Sink, SinkCounts } from '../pipeline/sink'
import { sinkFailed } from './sink-errors'

type SinkRun<T> = Required<Omit<Sink<T>, 'name' | 'writes' | 'counts'>> & Pick<Sink<T>, 'counts'>

/**
 * Makes a sink that writes one run at a time; a second one is refused.
 * @param output what the runs write: its name in errors, and its files
 * @throws FeedError OPTION_INVALID where a run is opened whose output is in a state folder
 */
export function sinkOfRuns<T>(
  name: string,
  output: { readonly name: string; readonly writes: readonly FilePlace[] },
  newRun: () => SinkRun<T>,
): Sink<T> {
  const { writes } = output
  let run: SinkRun<T> | undefined
  /** The run that ended last without a commit, which is aborted again where a call of it comes late. */
  let ended: SinkRun<T> | undefined
  let counts: SinkCounts | undefined
  /** Runs that were refused and have not called `abort` yet, which must not end the run that writes. */
  let refused = 0
  return {
    name,
    writes,
    open() {
      if (run !== undefined) {
        refused++
        throw sinkFailed(name, output.name, 'another run of the same sink is writing it')
      }
      // A sink may run in another one, which does not say what it writes.
      new FilesOfRun().add({ writes })
      ended = run = newRun()
      return run.open()
    },
    write: item => run!.write(item),
    prepare: () => run!.prepare(),
    async commit() {
      await run!.commit()
      counts = run!.counts?.()
      ended = run = undefined
    },
    counts: () => counts,
    async abort(error) {
      if (refused > 0) {
        refused--
        return
      }
      run = undefined
      await ended?.abort(error)
    },
  }
}
