// How rows and batches look in `console.log`: their cells and counts, cut, and never an error.

import { excerpt, FeedError } from '../errors'

/** The method that Node's `inspect` calls in place of showing private fields. */
export const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom')

/** What `inspect` hands to that method beside the options. */
export type Inspect = (value: unknown, options: object) => string

const CELL_CHARACTERS = 80
const LIST_CELLS = 5

/** `name { … }`, with the style of the call to `inspect`. */
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

/** A cell's value, cut. What cannot be read is shown as what is wrong with it. */
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
