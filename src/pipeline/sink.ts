// Where a pipeline's items go for good. Nothing is final before `commit`.

import type { FeedError } from '../errors'

/**
 * The contract between a pipeline and a sink: `open`, any number of `write`s, then `commit` or
 * `abort`; a `commit` that failed is followed by `abort`. `commit` is called only after every stage
 * has ended without error, the file's trailer and total verified; so what a sink keeps back until
 * then never becomes visible. After `abort` the same sink may be opened again.
 */
export interface Sink<T> {
  readonly name: string
  open?(): void | Promise<void>
  /**
   * A property, not a method: a sink of other items than the pipeline's is then a compile error.
   */
  readonly write: (item: T) => void | Promise<void>
  commit(): void | Promise<void>
  abort(error: FeedError): void | Promise<void>
}
