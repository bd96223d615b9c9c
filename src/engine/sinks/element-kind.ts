// The kinds of values that a sink refuses, because their JSON is `{}` or an object with a property
// for each byte.

import { FeedError } from '../errors'

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
  return new FeedError(
    'SINK_VALUE_INVALID',
    `row ${row} cannot be written: ${reason}`,
    { sink, row, reason },
    { cause },
  )
}
