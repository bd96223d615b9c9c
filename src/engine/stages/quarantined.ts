// The wait of a stage for its quarantine: rows are given to a quarantine synchronously, and what
// was given is written before the stage gives its next output.

import type { RowQuarantine } from '../codec/quarantine/row-quarantine'
import type { Outputs } from '../core/machine'
import { DONE, type Pause, Steps } from '../core/steps'
import { is, optionInvalid } from '../options'

/** Checks an option that may be a quarantine. @throws FeedError OPTION_INVALID */
export function checkedQuarantine(option: string, value: RowQuarantine): RowQuarantine {
  return is.withMethods<RowQuarantine>('take', 'settle', 'flush')(option, value)
}

/** A row of a projection lacks the bytes of its other columns. */
export function refuseProjection(option: string, isProjected: boolean): void {
  if (isProjected)
    throw optionInvalid(
      option,
      "'throw', 'null' or a function where the parser has columns, because a quarantine takes whole rows",
      'a quarantine',
    )
}

/** Gives these outputs, each after the quarantine has written what was left out before it. */
export function settled<Out>(
  quarantine: RowQuarantine,
  outputs: Iterable<Out | Pause>,
): NonNullable<Outputs<Out>> {
  return waiting(outputs, () => quarantine.settle())
}

/** Gives the outputs of the end of input, and ends when the quarantine is durable. */
export function flushed<Out>(
  quarantine: RowQuarantine,
  outputs: Iterable<Out | Pause>,
): NonNullable<Outputs<Out>> {
  return waiting(outputs, isEnd => (isEnd ? quarantine.flush() : undefined))
}

/** @param wait called with each step of the outputs; the step follows when it is done */
function waiting<Out>(
  outputs: Iterable<Out | Pause>,
  wait: (isEnd: boolean) => Promise<void> | undefined,
): NonNullable<Outputs<Out>> {
  const steps = outputs[Symbol.iterator]()
  return new Steps<Out | Pause>(() => {
    const step = steps.next()
    const next = step.done ? DONE : step
    const due = wait(next === DONE)
    return due === undefined ? next : due.then(() => next)
  })
}
