// The commit of a sink that has several parts, one after the other, and the error that says which of
// them stand. All parts are prepared before.

import { asFeedError, FeedError } from '../errors'
import type { Sink } from './sink'

/** A part of a sink: another sink, or a file. */
type CommitPart = Pick<Sink<never>, 'commit' | 'abort'> & { readonly name?: string }
type Parts = Iterable<readonly [label: string, part: CommitPart]>
/** What the error of a part may say of it. */
type Told = Partial<FeedError<'SINK_PARTLY_COMMITTED'>['context']> & { mayBeCommitted?: true }

/**
 * Commits one part after the other. Behind the first failure the rest is aborted.
 * @throws FeedError the failure, where every part stays as it was; otherwise
 * SINK_PARTLY_COMMITTED, with the failure as its cause
 */
export async function commitParts(parts: Parts): Promise<void> {
  const before: string[] = []
  const left = new Map(parts)
  for (const [label, part] of parts) {
    try {
      await part.commit()
    } catch (error) {
      throw await failureOf(before, left, asFeedError(error, part.name ?? label))
    }
    left.delete(label)
    before.push(label)
  }
}

/** @param left the part that has failed, and those behind it */
async function failureOf(before: string[], left: Map<string, CommitPart>, cause: FeedError) {
  const told = cause.context as Told
  const isAsBefore = told.committed === undefined && told.mayBeCommitted !== true
  const [label] = left.keys()
  // A part may have parts of its own.
  const named = (name: string) => (name === label ? name : `${label}: ${name}`)
  const committed = [...before, ...(told.committed ?? []).map(named)]
  const aborted = (told.aborted ?? []).map(named)
  for (const [other, part] of left)
    if ((await attempt(() => part.abort(cause))) && (other !== label || isAsBefore))
      aborted.push(other)
  if (isAsBefore && before.length === 0) return cause
  const failed = told.failed === undefined ? label! : named(told.failed)
  const after = committed.length === 0 ? '' : `, after ${committed.join(', ')} had`
  const message = `${failed} did not commit${after}: ${cause.message}`
  return new FeedError('SINK_PARTLY_COMMITTED', message, { committed, failed, aborted }, { cause })
}

/** Returns false where the work fails. */
export async function attempt(work: () => unknown): Promise<boolean> {
  try {
    await work()
    return true
  } catch {
    return false
  }
}
