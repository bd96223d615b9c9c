// Asynchronous iteration over a stage. Minipass's own iterator drops its error listener between two steps,
// and does not destroy the stream when its reader leaves early.

import { FeedError } from '../errors'

/** What iteration needs of a stage. */
interface ReadableStage<Out> {
  readonly name: string
  readonly destroyed: boolean
  readonly emittedEnd: boolean
  readonly failure: FeedError | undefined
  read(): Out | null
  destroy(): unknown
  on(event: 'readable' | 'end' | 'close' | 'error', listener: () => void): unknown
  off(event: 'readable' | 'end' | 'close', listener: () => void): unknown
}

const EVENTS = ['readable', 'end', 'close'] as const

/** The stage's items in order; leaving early destroys it. @throws FeedError the stage's own, or STAGE_DESTROYED */
export async function* readItems<Out>(stage: ReadableStage<Out>): AsyncGenerator<Out, void, void> {
  let wake = () => {}
  const onEvent = () => wake()
  for (const event of EVENTS) stage.on(event, onEvent)
  // Stays after the end: a late failure of a stage that nobody reads any more is not the end of the process.
  stage.on('error', onEvent)
  try {
    for (;;) {
      const item = stage.read()
      if (item !== null) yield item
      else if (stage.failure !== undefined) throw stage.failure
      else if (stage.emittedEnd) return
      else if (stage.destroyed)
        throw new FeedError('STAGE_DESTROYED', `${stage.name} was destroyed while being read`, { stage: stage.name })
      else
        await new Promise<void>(resolve => {
          wake = resolve
        })
    }
  } finally {
    for (const event of EVENTS) stage.off(event, onEvent)
    if (!stage.emittedEnd) stage.destroy()
  }
}
