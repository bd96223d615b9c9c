// Which values a sink refuses to write: JSON makes `{}` of them, or an object with a property for
// each byte.

import { FeedError } from '../errors'

/** The types among them that a compiler can tell from rows. */
export type Unwritable =
  | ArrayBufferView
  | ArrayBufferLike
  | Date
  | ReadonlyMap<never, unknown>
  | ReadonlySet<never>
  | Promise<unknown>

/**
 * By the language's own tag: it knows values of other realms too. A plain array is an Array without
 * a word before it.
 */
const UNWRITABLE =
  /^\[object (\w+Array|ArrayBuffer|SharedArrayBuffer|DataView|Date|Map|Set|Promise)\]$/

/** The name of an object's kind where it is one of those: `Uint8Array`, `Promise`. */
export function unwritableKind(value: object): string | undefined {
  return UNWRITABLE.exec(Object.prototype.toString.call(value))?.[1]
}

/** @param row counts from 1, among all that the sink was given */
export function valueInvalid(
  sink: string,
  row: number,
  reason: string,
  cause?: unknown,
): FeedError<'SINK_VALUE_INVALID'> {
  return new FeedError(
    'SINK_VALUE_INVALID',
    `row ${row} cannot be written: ${reason}`,
    { sink, row, reason },
    { cause },
  )
}
