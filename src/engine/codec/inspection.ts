// Makes what `console.log` shows of rows and batches: their cells and counts, cut. It never throws.

import { excerpt, FeedError } from '../errors'

/** The key of the method that Node's `inspect` calls to show an object. */
export const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom')

/** The function that `inspect` hands to that method as the last argument. */
export type Inspect = (value: unknown, options: object) => string

const CELL_CHARACTERS = 80
const LIST_CELLS = 5

/** Returns `name { … }` in the style of the call to `inspect`. */
export function inspection(
  name: string,
  parts: () => object,
  depth: number,
  options: object,
  inspect: Inspect,
): string {
  if (depth < 0) return `[${name}]`
  return `${name} ${inspect(parts(), { ...options, depth })}`
}

/** Returns a cell's value, cut; for a cell that cannot be read, its error as text. */
export function shownCell(read: () => unknown): unknown {
  try {
    const value = read()
    if (typeof value === 'string') return excerpt(value, CELL_CHARACTERS)
    return Array.isArray(value) && value.length > LIST_CELLS
      ? [...value.slice(0, LIST_CELLS), `… ${value.length - LIST_CELLS} more`]
      : value
  } catch (error) {
    return new Unreadable(
      FeedError.is(error)
        ? excerpt(`${error.code}: ${error.message}`, CELL_CHARACTERS)
        : 'not readable',
    )
  }
}

class Unreadable {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  [INSPECT](): string {
    return `<${this.#text}>`
  }
}
