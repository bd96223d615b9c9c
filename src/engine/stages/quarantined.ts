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

/** Checks what becomes of bad rows. @throws FeedError OPTION_INVALID */
export function badRowPolicy<P>(option: string, policy: P): P {
  if (typeof policy === 'object') checkedQuarantine(option, policy as RowQuarantine)
  else if (policy !== 'throw' && policy !== 'skip')
    is.callback(option, policy as () => void, "'throw', 'skip', a function or a quarantine")
  return policy
}

/** A row of a projection lacks the bytes of its other columns, and an object all of them. */
export function refuseParts(option: string, isPart: boolean): void {
  if (isPart)
    throw optionInvalid(
      option,
      'no quarantine where the parser has columns or gives objects, because a quarantine takes whole rows',
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
