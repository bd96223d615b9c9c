// Compares a cell of a program's output with the true text. The texts must be equal, except where
// the documents give a column a type or form with more than one text. src/guide/verify.md lists
// these rules.

import { isDeepStrictEqual } from 'node:util'
import { type Aspect, decodeAspects, decodeRegions, readInstant } from '../../index'

/** The comparisons of decoded cells, by the type of their column. */
const DECODED: Readonly<Record<string, (expected: string, received: object) => boolean>> = {
  'list |': isEqualList('|'),
  'list ,': isEqualList(','),
  aspects: isEqualAspects,
  regions: isEqualRegions,
}

/**
 * Returns whether the value is an object or a list in a column of another type. There is no rule by
 * which it could be compared.
 */
export function isStructured(type: string, value: unknown): boolean {
  return typeof value === 'object' && value !== null && DECODED[type] === undefined
}

/** @param type the type of the column (item-feeds.md, section 2.2) */
export function isEqualCell(type: string, expected: string, received: unknown): boolean {
  if (received === null || received === undefined) return expected === ''
  if (typeof received === 'object') return DECODED[type]?.(expected, received) ?? false
  const text = String(received)
  if (text === expected) return true
  if (text === '' || expected === '') return false
  switch (type) {
    case 'decimal':
    case 'int32':
      return isSame(plainNumber, text, expected)
    case 'boolean':
      return isSame(truthValue, text, expected)
    case 'timestamp':
      return isSame(instant, text, expected)
    default:
      return false
  }
}

function isEqualList(separator: string): (expected: string, received: object) => boolean {
  return (expected, received) => Array.isArray(received) && received.join(separator) === expected
}

/** Compares objects with `name` and `value`, or one object with the value or values of each name. */
function isEqualAspects(expected: string, received: object): boolean {
  const given: readonly Partial<Aspect>[] = Array.isArray(received)
    ? received.map(Object)
    : Object.entries(received).flatMap(([name, values]) =>
        [values].flat().map(value => ({ name, value })),
      )
  const hasLabels = given.some(({ label }) => label !== undefined)
  const keysOf = (aspects: readonly Partial<Aspect>[]) =>
    aspects
      .map(({ name, value = null, label = null }) =>
        JSON.stringify([name, value, hasLabels ? label : null]),
      )
      .sort()
  return isDeepStrictEqual(keysOf(given), keysOf(decodeAspects(expected)))
}

function isEqualRegions(expected: string, received: object): boolean {
  return isDeepStrictEqual({ countries: [], regions: [], ...received }, decodeRegions(expected))
}

function isSame<T>(read: (text: string) => T | undefined, a: string, b: string): boolean {
  const value = read(a)
  return value !== undefined && value === read(b)
}

/** Returns the shortest text of the same number, so that `12.50` and `12.5` are equal. */
function plainNumber(text: string): string | undefined {
  const [, sign, whole, decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  const fraction = decimals.replace(/(?<!0)0+$/, '')
  return `${sign}${whole.replace(/^0+(?=\d)/, '')}${fraction === '' ? '' : `.${fraction}`}`
}

/** Databases without a boolean type store 1 and 0. */
function truthValue(text: string): boolean | undefined {
  if (/^(true|1)$/i.test(text)) return true
  return /^(false|0)$/i.test(text) ? false : undefined
}

/** Reads a time with its zone, with a `T` or a space before the hour. */
function instant(text: string): number | undefined {
  const [, day, time, zone] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?) ?(Z|[+-]\d\d:?\d\d)$/.exec(text) ?? []
  return day === undefined ? undefined : readInstant(`${day}T${time}${zone}`)?.getTime()
}
