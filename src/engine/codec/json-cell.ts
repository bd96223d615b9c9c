// JSON cells as their files have them. A parsed value has no longer the digits of its numbers, the
// repeats of its names and their order, and its text may be too deep to be made again. So sinks
// write the text of a cell, once it is known to be JSON.

import { bigIntAsText } from './projection'
import type { Row } from './row-batch'

/** The text of a JSON cell in place of its value. */
export class JsonCell {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }

  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}

/** Rows are recognised by shape, because two copies of the package may meet in one process. */
export function isRow(element: unknown): element is Row {
  const { toObject, batch } = Object(element) as Partial<Row>
  return typeof toObject === 'function' && batch !== undefined
}

/** Returns a cell as `row.get` does, but JSON as its text. @throws FeedError CELL_INVALID */
export function exactCell(row: Row, name: string): unknown {
  const value = row.get(name as never) as unknown
  const { all, indexes } = row.batch.header
  const isText = value === null || all[indexes.get(name) ?? -1]?.spec.type !== 'json'
  return isText ? value : new JsonCell(row.text(name as never))
}

/** Returns cells as `row.toObject` does, but JSON as its text. @throws FeedError CELL_INVALID */
export function exactObject(row: Row, columns?: readonly string[]): Record<string, unknown> {
  const { all, indexes } = row.batch.header
  const object = row.toObject(columns as never) as Record<string, unknown>
  if (!row.batch.projections.hasJson) return object
  for (const name of Object.keys(object)) {
    if (object[name] === null || all[indexes.get(name)!]!.spec.type !== 'json') continue
    object[name] = new JsonCell(row.text(name as never))
  }
  return object
}

/**
 * Returns what JSON.stringify writes of an object whose JSON cells are texts. Line ends, which stand
 * outside of strings only, are spaces.
 */
export function exactJson(
  object: object,
  jsonOf: (value: unknown) => string | undefined = value => JSON.stringify(value, bigIntAsText),
): string {
  const properties = Object.entries(object).flatMap(([name, value]) => {
    const json = value instanceof JsonCell ? oneLine(value) : jsonOf(value)
    return json === undefined ? [] : [`${JSON.stringify(name)}:${json}`]
  })
  return `{${properties.join(',')}}`
}

/** Returns the JSON of a cell without line ends. */
export function oneLine({ text }: JsonCell): string {
  return text.replace(/[\r\n]/g, ' ')
}
