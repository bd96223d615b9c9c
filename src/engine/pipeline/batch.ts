// The elements that the row helpers see in an item: those of a batch (a row batch or an array), or
// the item itself. Row batches are recognised by shape, because two copies of the package may meet
// in one process.

import type { Row } from '../codec/row'
import type { RowBatch } from '../codec/row-batch'
import type { BoundHeader } from '../codec/tsv/header'

/**
 * The elements of an item for `filter`, `map`, `tap`, `take` and `for await`: the rows of a row
 * batch, the members of an array, or the item itself.
 */
export type ElementOf<T> =
  T extends RowBatch<infer C> ? Row<C> : T extends readonly (infer E)[] ? E : T

/** An item of type `T` whose elements are known to be of type `E`. */
export type NarrowedItem<T, E> =
  T extends RowBatch<infer _>
    ? E extends Row<infer C>
      ? RowBatch<C>
      : never
    : T extends readonly (infer M)[]
      ? Extract<E, M>[]
      : Extract<E, T>

interface RowBatchLike<E> extends Iterable<E> {
  readonly header: BoundHeader
  readonly length: number
  select(keep: (element: E) => boolean): RowBatchLike<E>
  first(count: number): RowBatchLike<E>
}

function isRowBatch<E>(item: unknown): item is RowBatchLike<E> {
  return (
    typeof item === 'object' &&
    item !== null &&
    typeof (item as { select?: unknown }).select === 'function' &&
    Symbol.iterator in item
  )
}

/** Returns the header of a row batch, and undefined for any other item. */
export function headerOf(item: unknown): BoundHeader | undefined {
  return isRowBatch(item) ? item.header : undefined
}

export function elementsOf<T>(item: T): Iterable<ElementOf<T>> {
  if (Array.isArray(item) || isRowBatch<ElementOf<T>>(item)) return item as Iterable<ElementOf<T>>
  return [item as ElementOf<T>]
}

export function countOf(item: unknown): number {
  return Array.isArray(item) || isRowBatch(item) ? item.length : 1
}

/**
 * Returns the item with the elements that `keep` accepts. Where none is left, a row batch is empty,
 * and anything else is undefined.
 */
export function selectFrom<T>(item: T, keep: (element: ElementOf<T>) => boolean): T | undefined {
  if (isRowBatch<ElementOf<T>>(item)) return item.select(keep) as T
  if (Array.isArray(item)) {
    const kept = item.filter(keep)
    return kept.length > 0 ? (kept as T) : undefined
  }
  return keep(item as ElementOf<T>) ? item : undefined
}

/** Returns the item with its first `count` elements; `count` is at least 1. */
export function firstOf<T>(item: T, count: number): T {
  if (Array.isArray(item)) return item.slice(0, count) as T
  return isRowBatch(item) ? (item.first(count) as T) : item
}
