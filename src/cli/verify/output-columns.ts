// Finds the documented column behind each column of a program's output. Case and underscores do not
// count, so `priceValue`, `price_value` and `PriceValue` are the same column.

import { usageError } from '../usage-error'
import { isStructured } from './equal-cell'
import type { OutputRow } from './output-rows'
import type { TrueColumn } from './truth'

export interface ColumnChoice {
  /** Pairs of a column of the output and the documented name of it. */
  readonly rename: ReadonlyMap<string, string>
  /** Documented columns, or columns of the output, that are not compared. */
  readonly ignore: readonly string[]
}

export interface ComparedColumn extends TrueColumn {
  /** Its index among the columns of the truth. */
  readonly index: number
  /** Its name in the output. */
  readonly received: string
}

export interface OutputColumns {
  /** The column with the key, or undefined where the output has none. */
  readonly key: string | undefined
  /** The column that says whether an item is gone, compared or not. */
  readonly availability: string | undefined
  readonly compared: readonly ComparedColumn[]
  /** Columns of the output that item-feeds.md, section 2.2, does not have. */
  readonly unknown: readonly string[]
  /** Documented columns that hold objects, which cannot be compared. */
  readonly structured: readonly string[]
}

/** Collects the columns of all rows, because a row of JSON may leave out columns that are null. */
export async function readColumns(
  rows: AsyncIterable<OutputRow>,
  columns: readonly TrueColumn[],
  { rename, ignore }: ColumnChoice,
): Promise<OutputColumns> {
  const indexes = new Map(columns.map(({ name }, index) => [plainName(name), index]))
  const ignored = new Set(ignore.map(plainName))
  const found = new Map<string, number | undefined>()
  const structured = new Set<string>()
  for await (const row of rows)
    for (const [name, value] of Object.entries(row)) {
      if (!found.has(name)) found.set(name, indexes.get(plainName(rename.get(name) ?? name)))
      const index = found.get(name)
      if (index !== undefined && isStructured(columns[index]!.type, value)) structured.add(name)
    }
  const known = [...found].flatMap(([received, index]) =>
    index === undefined ? [] : [{ ...columns[index]!, index, received }],
  )
  const key = known.find(({ index }) => index === 0)?.received
  return {
    key,
    availability: known.find(({ name }) => name === 'availability')?.received,
    compared: known.filter(
      ({ index, name, received }) =>
        index > 0 &&
        !structured.has(received) &&
        !ignored.has(plainName(name)) &&
        !ignored.has(plainName(received)),
    ),
    unknown: [...found].flatMap(([name, index]) => (index === undefined ? [name] : [])),
    structured: [...structured],
  }
}

/** @throws FeedError OPTION_INVALID for a name that no document has */
export function checkDocumented(
  option: string,
  names: Iterable<string>,
  columns: readonly string[],
): void {
  const known = new Set(columns.map(plainName))
  for (const name of names)
    if (!known.has(plainName(name))) {
      const message = `${option}: ${name} is not a column of item-feeds.md, section 2.2: ${columns.join(', ')}`
      throw usageError(option, 'a documented column', name.slice(0, 80), message)
    }
}

function plainName(name: string): string {
  return name.replaceAll('_', '').toLowerCase()
}
