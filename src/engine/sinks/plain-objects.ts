// Which values are rows as plain objects, and which of their properties are cells: their own, under
// texts. What would be lost is refused: a property that is no column, and a value without JSON.

import { excerpt, FeedError } from '../errors'
import { nameHint } from '../options'
import { unwritableKind } from './sink-errors'

export type PlainObject = Readonly<Record<string, unknown>>

/**
 * Returns a value that is a row as a plain object. An instance of a class is one too, unless a
 * column is inherited, as a getter of the class is.
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
      throw invalid(`the name of its property ${excerpt(String(symbol))} is no text`)
  if (isOfClass(object)) {
    for (const name of names)
      if (name in object && !Object.hasOwn(object, name) && !(name in Object.prototype))
        throw invalid(`its property ${excerpt(name)} is inherited: make a plain object in map`)
    if (Object.keys(object).length === 0)
      throw invalid('it is of a class and has no property of its own: make a plain object in map')
  }
  return object
}

function kindOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  return Array.isArray(value) ? 'Array' : unwritableKind(value)
}

/** The prototype of the plain objects of any realm has none itself. */
function isOfClass(object: object): boolean {
  const prototype = Object.getPrototypeOf(object)
  return prototype !== null && Object.getPrototypeOf(prototype) !== null
}

/** Returns a property that is no column and has a value, inherited or not. */
export function lossOf(object: PlainObject, names: ReadonlySet<string>): string | undefined {
  for (const name in object) if (!names.has(name) && object[name] !== undefined) return name
  return undefined
}

/**
 * Returns the name of a value without JSON, or of one inside it: `Map`, or `function as tags.0`.
 * JSON would leave such a value out, or write `{}` or a property for each byte. A value with a
 * method `toJSON` is its own affair.
 */
export function withoutJson(value: unknown, path = '', above: object[] = []): string | undefined {
  const place = () => (path === '' ? '' : ` as ${excerpt(path)}`)
  if (typeof value === 'function' || typeof value === 'symbol') return typeof value + place()
  if (typeof value !== 'object' || value === null) return undefined
  if (above.includes(value)) return `an object in itself (circular)${place()}`
  const isSpecial = !Array.isArray(value) && isOfClass(value)
  const kind = isSpecial ? unwritableKind(value) : undefined
  if (kind !== undefined) return kind === 'Date' ? undefined : kind + place()
  if (typeof (value as { readonly toJSON?: unknown }).toJSON === 'function') return undefined
  const names = Object.keys(value)
  // A Map of another kind, private fields: what it has is not in its properties.
  const isHidden = isSpecial && names.length === 0 && JSON.stringify(value) === '{}'
  if (isHidden || value instanceof Error) return `an object of a class${place()}`
  above.push(value)
  for (const name of names) {
    const member = (value as PlainObject)[name]
    if (isScalar(member)) continue
    const found = withoutJson(member, path === '' ? name : `${path}.${name}`, above)
    if (found !== undefined) return found
  }
  above.pop()
  return undefined
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
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
