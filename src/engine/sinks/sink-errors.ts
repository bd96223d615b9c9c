// The errors of sinks: of an output that cannot be written, and of values that a sink refuses,
// because their JSON is `{}` or an object with a property for each byte.

import { systemCode } from '../disk/system-calls'
import { excerpt, FeedError } from '../errors'
import { is, show } from '../options'

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
  is.filledText('sink', sink)
  is.filledText('target', target)
  const text = excerpt(cause instanceof Error ? cause.message : show(cause), 200)
  const reason = systemCode(cause) ?? text
  const words = text.includes(reason) ? text : `${reason}: ${text}`
  const message = `${target} cannot be written: ${words}`
  return new FeedError('SINK_FAILED', message, { sink, target, reason }, { cause })
}

/** The refused types that a compiler can tell from rows. */
export type Unwritable =
  | ArrayBufferView
  | ArrayBufferLike
  | Date
  | ReadonlyMap<never, unknown>
  | ReadonlySet<never>
  | Promise<unknown>

/**
 * Matches the language's own tag, which also knows values of other realms. A plain array has the
 * tag Array, without a word before it.
 */
const UNWRITABLE =
  /^\[object (\w+Array|ArrayBuffer|SharedArrayBuffer|DataView|Date|Map|Set|Promise)\]$/

/**
 * Returns the name of a refused kind, such as `Uint8Array` or `Promise`; undefined for any other
 * object.
 */
export function unwritableKind(value: object): string | undefined {
  return UNWRITABLE.exec(Object.prototype.toString.call(value))?.[1]
}

/** @param row number of the row among all that the sink has got, from 1 */
export function valueInvalid(
  sink: string,
  row: number,
  reason: string,
  cause?: unknown,
): FeedError<'SINK_VALUE_INVALID'> {
  const message = `row ${row} cannot be written: ${reason}`
  return new FeedError('SINK_VALUE_INVALID', message, { sink, row, reason }, { cause })
}
