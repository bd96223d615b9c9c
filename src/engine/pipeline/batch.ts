// The elements that the row helpers see in an item: those of a batch (a row batch, a batch of columns
// or an array), or the item itself. Batches are recognised by shape, because two copies of the
// package may meet in one process.

import type { ColumnBatch } from '../codec/columns/column-batch'
import type { Row, RowBatch } from '../codec/row-batch'
import type { BoundHeader } from '../codec/tsv/header'
import type { RowObject } from '../schema/feed-schema'

/**
 * The elements of an item for `filter`, `map`, `tap`, `take` and `for await`: the rows of a row
 * batch, the rows of a batch of columns as objects, the members of an array, or the item itself.
 */
export type ElementOf<T> =
  T extends RowBatch<infer C>
    ? Row<C>
    : T extends ColumnBatch<infer C>
      ? RowObject<C>
      : T extends readonly (infer E)[]
        ? E
        : T

/** An item of type `T` whose elements are known to be of type `E`. */
export type NarrowedItem<T, E> =
  T extends RowBatch<infer _>
    ? E extends Row<infer C>
      ? RowBatch<C>
      : never
    : T extends ColumnBatch<infer _>
      ? E[]
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
  return isIterable(item) && typeof (item as { select?: unknown }).select === 'function'
}

export function isColumnBatch(item: unknown): item is ColumnBatch {
  return isIterable(item) && typeof (item as { column?: unknown }).column === 'function'
}

function isIterable(item: unknown): item is object {
  return typeof item === 'object' && item !== null && Symbol.iterator in item
}

/** Returns the header of a batch, and undefined for any other item. */
export function headerOf(item: unknown): BoundHeader | undefined {
  return isRowBatch(item) || isColumnBatch(item) ? item.header : undefined
}

export function elementsOf<T>(item: T): Iterable<ElementOf<T>> {
  if (Array.isArray(item) || isRowBatch(item) || isColumnBatch(item))
    return item as Iterable<ElementOf<T>>
  return [item as ElementOf<T>]
}

/** The same for a sink: an object of a batch of columns has JSON as its text. */
export function exactElementsOf<T>(item: T): Iterable<unknown> {
  return isColumnBatch(item) ? item.exactRows() : elementsOf(item)
}

export function countOf(item: unknown): number {
  return Array.isArray(item) || isRowBatch(item) || isColumnBatch(item) ? item.length : 1
}

/**
 * Returns the item with the elements that `keep` accepts. Where none is left, a row batch is empty,
 * and anything else is undefined.
 */
export function selectFrom<T>(item: T, keep: (element: ElementOf<T>) => boolean): T | undefined {
  if (isRowBatch<ElementOf<T>>(item)) return item.select(keep) as T
  if (Array.isArray(item) || isColumnBatch(item)) {
    const kept = [...elementsOf(item)].filter(keep as (element: unknown) => boolean)
    return kept.length > 0 ? (kept as T) : undefined
  }
  return keep(item as ElementOf<T>) ? item : undefined
}

/** Returns the item with its first `count` elements; `count` is at least 1. */
export function firstOf<T>(item: T, count: number): T {
  if (Array.isArray(item)) return item.slice(0, count) as T
  if (isColumnBatch(item)) return [...item].slice(0, count) as T
  return isRowBatch(item) ? (item.first(count) as T) : item
}
