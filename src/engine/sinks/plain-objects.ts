// Which values are rows as plain objects, and which of their properties are cells: the own ones whose
// names are texts and that a loop over the object finds. A property that would be lost is refused.

import { excerpt, FeedError } from '../errors'
import { nameHint } from '../options'
import { unwritableKind } from './sink-errors'

export type PlainObject = Readonly<Record<string, unknown>>

/**
 * Returns a value that is a row as a plain object. An instance of a class is one too, unless the
 * class has a cell of its own, such as a getter.
 * @param names the columns, as far as they are known
 * @param invalid makes the error of a reason
 */
export function plainObject(
  value: unknown,
  names: ReadonlySet<string>,
  invalid: (reason: string) => FeedError,
): PlainObject {
  const kind = kindOf(value)
  if (kind !== undefined)
    throw invalid(`${kind} is not a row or an object with a property for each column`)
  const object = value as PlainObject
  for (const symbol of Object.getOwnPropertySymbols(object))
    if (Object.prototype.propertyIsEnumerable.call(object, symbol))
      throw invalid(`its property ${excerpt(String(symbol))} has no text as its name`)
  for (
    let proto = Object.getPrototypeOf(object);
    !isRoot(proto);
    proto = Object.getPrototypeOf(proto)
  ) {
    for (const name of Object.getOwnPropertyNames(proto)) {
      if (name === 'constructor' || Object.hasOwn(object, name)) continue
      if (names.has(name) || Object.prototype.propertyIsEnumerable.call(proto, name))
        throw invalid(
          `its property ${excerpt(name)} is inherited: make a plain object of it in map`,
        )
    }
    if (Object.keys(object).length === 0)
      throw invalid('it is of a class, and has no property: make a plain object of it in map')
  }
  return object
}

function kindOf(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value
  return Array.isArray(value) ? 'Array' : unwritableKind(value)
}

/** The prototype of all objects of a realm has none itself. */
function isRoot(prototype: object | null): boolean {
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/**
 * Returns the name of a value without JSON, or of one inside it: `Map`, or `a function as tags.0`.
 * JSON would leave such a value out, or write `{}` or a property for each byte. A value with a
 * method `toJSON` is its own affair.
 */
export function withoutJson(value: unknown, path = '', above: object[] = []): string | undefined {
  const place = path === '' ? '' : ` as ${excerpt(path)}`
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}${place}`
  if (typeof value !== 'object' || value === null) return undefined
  if (above.includes(value)) return `an object that contains itself (circular)${place}`
  const kind = unwritableKind(value)
  if (kind !== undefined) return kind === 'Date' ? undefined : kind + place
  if (typeof (value as { readonly toJSON?: unknown }).toJSON === 'function') return undefined
  const names = Object.keys(value)
  const isEmpty = names.length === 0 && !Array.isArray(value)
  if (
    value instanceof Error ||
    (isEmpty && !isRoot(Object.getPrototypeOf(value)) && JSON.stringify(value) === '{}')
  )
    return `an object without properties${place}`
  above.push(value)
  for (const name of names) {
    const member = (value as PlainObject)[name]
    if (typeof member === 'string' || typeof member === 'number') continue
    const found = withoutJson(member, path === '' ? name : `${path}.${name}`, above)
    if (found !== undefined) return found
  }
  above.pop()
  return undefined
}

/** Number of names that an error lists. */
export const MAX_SHOWN = 200

/** @param text what is wrong, before the hint */
export function columnUnknown(
  column: string,
  known: readonly string[],
  text: string,
  hint = nameHint(column, known),
): FeedError<'COLUMN_UNKNOWN'> {
  const message = hint === undefined ? text : `${text}: ${hint}`
  const shown = known.slice(0, MAX_SHOWN).map(name => excerpt(name))
  return new FeedError('COLUMN_UNKNOWN', message, { column: excerpt(column), known: shown })
}
