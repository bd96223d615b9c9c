// Compares a cell of a program's output with the true text. The texts must be equal, except where
// the documents give a column a type or form with more than one text. src/guide/verify.md lists
// these rules.

const SEPARATORS: Readonly<Record<string, string>> = { pipeList: '|', commaList: ',' }

/**
 * Returns whether the value is an object, or a list in a column that is no list. There is no rule
 * by which it could be compared.
 */
export function isStructured(type: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return !(Array.isArray(value) && SEPARATORS[type] !== undefined)
}

/** @param type the type of the column (item-feeds.md, section 2.2) */
export function isEqualCell(type: string, expected: string, received: unknown): boolean {
  if (received === null || received === undefined) return expected === ''
  const text = Array.isArray(received) ? received.join(SEPARATORS[type]) : String(received)
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
  return day === undefined ? undefined : Date.parse(`${day}T${time}${zone}`)
}
