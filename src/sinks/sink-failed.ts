// The one error of an output that cannot be written.

import { systemCode } from '../disk/system-calls'
import { excerpt, FeedError } from '../errors'
import { filledText, show } from '../options'

/**
 * What a sink throws where its output cannot be written. The message has the system's own words.
 * @param sink the sink's name
 * @param target what was written to: a path, or words such as `standard output`
 * @param cause the failure; its `code`, such as ENOSPC or EPIPE, becomes the context's `reason`
 */
export function sinkFailed(sink: string, target: string, cause: unknown): FeedError<'SINK_FAILED'> {
  filledText('sink', sink)
  filledText('target', target)
  const text = excerpt(cause instanceof Error ? cause.message : show(cause), 200)
  const reason = systemCode(cause) ?? text
  const words = text.includes(reason) ? text : `${reason}: ${text}`
  return new FeedError(
    'SINK_FAILED',
    `${target} cannot be written: ${words}`,
    { sink, target, reason },
    { cause },
  )
}
