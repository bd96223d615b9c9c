// The commit of a sink that has several parts, one after the other, and the error that says which of
// them stand.

import { asFeedError, FeedError } from '../errors'

/** A part of a sink. Every part is prepared before the first one commits. */
export interface CommitPart {
  /** The part in errors. */
  readonly label: string
  /** The sink of the part in the errors of what is no FeedError. */
  readonly name: string
  commit(): void | Promise<void>
  abort(error: FeedError): void | Promise<void>
}

/**
 * Commits one part after the other, up to the first failure, behind which the rest is aborted.
 * @throws FeedError the failure, where every part stays as it was; otherwise
 * SINK_PARTLY_COMMITTED, with the failure as its cause
 */
export async function commitParts(parts: readonly CommitPart[]): Promise<void> {
  const committed: string[] = []
  for (const [n, part] of parts.entries()) {
    try {
      await part.commit()
    } catch (error) {
      throw await failureOf(parts.slice(n), committed, asFeedError(error, part.name))
    }
    committed.push(part.label)
  }
}

async function failureOf(
  [failed, ...rest]: readonly CommitPart[],
  before: readonly string[],
  cause: FeedError,
): Promise<FeedError> {
  const { label } = failed!
  const { mayBeCommitted } = cause.context as { readonly mayBeCommitted?: true }
  // A part may have parts of its own.
  const within =
    cause.code === 'SINK_PARTLY_COMMITTED'
      ? (cause as FeedError<'SINK_PARTLY_COMMITTED'>).context
      : undefined
  const isAsBefore = within === undefined && mayBeCommitted !== true
  if (isAsBefore && before.length === 0) return cause
  const named = (name: string) => (name === label ? name : `${label}: ${name}`)
  const committed = [...before, ...(within?.committed ?? []).map(named)]
  const aborted = (within?.aborted ?? []).map(named)
  for (const part of [failed!, ...rest]) {
    const isAborted = await ends(() => part.abort(cause))
    if (isAborted && (part !== failed || isAsBefore)) aborted.push(part.label)
  }
  const context = { committed, failed: within ? named(within.failed) : label, aborted }
  const others = committed.length === 0 ? '' : `, after ${committed.join(', ')} had`
  const what = mayBeCommitted ? 'may not have committed' : 'did not commit'
  const message = `${context.failed} ${what}${others}: ${cause.message}`
  return new FeedError('SINK_PARTLY_COMMITTED', message, context, { cause })
}

async function ends(work: () => void | Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch {
    return false
  }
}
