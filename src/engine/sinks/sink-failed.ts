// The error of an output that cannot be written.

import { systemCode } from '../disk/system-calls'
import { excerpt, FeedError } from '../errors'
import { filledText, show } from '../options'

/**
 * Returns the error that a sink throws when its output cannot be written. The message contains the
 * message of the cause.
 * @param sink the sink's name
 * @param target the output: a path, or a description such as `standard output`
 * @param cause the failure; its `code`, such as ENOSPC or EPIPE, becomes the context's `reason`
 * @example
 * ```ts
 * import { sinkFailed } from 'feedmill'
 *
 * const cause = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
 * const error = sinkFailed('Uploader', 'bucket/items', cause)
 * console.log(error.code, error.context.reason)
 * // => SINK_FAILED ENOSPC
 * ```
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
