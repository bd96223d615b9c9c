// One function as each kind of step that `Pipeline.to` takes, for the tests that compare the kinds.

import { Transform } from 'node:stream'
import { PairStage } from '../../../src/engine/pipeline/pair-stage'
import { type AnyStageLike, type StageLike, stageOf } from '../../../src/engine/pipeline/stage-like'
import { Stage } from '../../../src/engine/stages/stage'

/** Makes the outputs of one item, and throws where it does not take the item. */
export type Outputs<In, Out> = (item: In) => readonly Out[]

/** The name that every kind gives to its stage. */
export const NAME = 'Repeat'

class Repeat<In, Out> extends Stage<In, Out> {
  constructor(private readonly outputs: Outputs<In, Out>) {
    super()
  }
  protected override *transform(item: In) {
    yield* this.outputs(item)
  }
}

function repeatTransform<In, Out>(outputs: Outputs<In, Out>): Transform {
  return new (class Repeat extends Transform {
    constructor() {
      super({ objectMode: true })
    }
    override _transform(item: In, _encoding: unknown, done: (error?: Error) => void) {
      try {
        for (const output of outputs(item)) this.push(output)
        done()
      } catch (error) {
        done(error as Error)
      }
    }
  })()
}

function repeatWeb<In, Out>(outputs: Outputs<In, Out>): TransformStream<In, Out> {
  return new (class Repeat extends TransformStream<In, Out> {})({
    transform(item, controller) {
      for (const output of outputs(item)) controller.enqueue(output)
    },
  })
}

/** Each kind of step, as a step that can run once. */
export const KINDS: Readonly<
  Record<string, <In, Out>(outputs: Outputs<In, Out>) => StageLike<In, Out>>
> = {
  'a stage': outputs => new Repeat(outputs),
  'a function that makes a stage': outputs => () => new Repeat(outputs),
  'an async generator function': outputs =>
    async function* Repeat(items) {
      for await (const item of items) yield* outputs(item)
    },
  'a function that gives an async iterable': outputs =>
    function Repeat(items) {
      const iterator = (async function* () {
        for await (const item of items) yield* outputs(item)
      })()
      return { [Symbol.asyncIterator]: () => iterator }
    },
  'a Transform': outputs => repeatTransform(outputs),
  // This function has a signature of its own in `to`, which the type of this table lacks.
  'a function that makes a Transform': outputs =>
    function Repeat() {
      return repeatTransform(outputs) as never
    },
  'a TransformStream': outputs => repeatWeb(outputs),
  'a function that makes a TransformStream': outputs =>
    function Repeat() {
      return repeatWeb(outputs)
    },
}

export const FOREIGN = Object.keys(KINDS).filter(kind => !kind.endsWith('a stage'))

/** Returns the stage that a step becomes in a run, for the laws of a stage. */
export function stageOfStep<In, Out>(step: StageLike<In, Out>): Stage<In, Out> {
  const stage = stageOf(step as unknown as AnyStageLike)
  if (stage instanceof PairStage || stage instanceof Repeat) return stage as Stage<In, Out>
  throw new TypeError('the step is of no kind that this file makes')
}
