// Records the workers that are started, for tests of their life. A test may replace their program.

import { afterEach } from 'vitest'

type Threads = typeof import('node:worker_threads')
type WorkerClass = Threads['Worker']
type Worker = InstanceType<WorkerClass>
type Options = ConstructorParameters<WorkerClass>[1]

export const threads = {
  /** The workers since a test emptied the list. */
  workers: [] as Worker[],
  /** The memory that each worker shares with its host. */
  get controls(): SharedArrayBuffer[] {
    return threads.workers.map(worker => shared.get(worker)!)
  },
  /** Replaces the program of the workers until the end of the test. */
  instead: undefined as ((recorded: WorkerClass, options: Options) => Worker) | undefined,
  /** Resolves when all workers have ended. */
  async exited(): Promise<void> {
    await Promise.all(threads.workers.map(exitOf))
  },
}

afterEach(() => {
  threads.instead = undefined
})

const shared = new WeakMap<Worker, SharedArrayBuffer>()
const exits = new WeakMap<Worker, Promise<void>>()
const exitOf = (worker: Worker) => exits.get(worker)

/** The module with a class in place of Worker that records its instances. */
export function recording(module: Threads): Threads {
  class Recorded extends module.Worker {
    constructor(...args: ConstructorParameters<WorkerClass>) {
      super(...args)
      threads.workers.push(this)
      shared.set(this, (args[1]!.workerData as { control: SharedArrayBuffer }).control)
      exits.set(this, new Promise(resolve => this.once('exit', () => resolve())))
    }
  }
  // `new` returns the object that a constructor returns.
  function Worker(program: string, options: Options): Worker {
    return threads.instead ? threads.instead(Recorded, options) : new Recorded(program, options)
  }
  return { ...module, Worker: Worker as unknown as WorkerClass }
}
