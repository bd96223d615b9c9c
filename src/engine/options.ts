// Options as tables: `readOptions` reads what a caller gave by a table, which has a check for each
// option, and its default. Each check has one wording of OPTION_INVALID, and knows no particular
// option; arguments that are no options go through the same checks.

import { excerpt, FeedError } from './errors'

/** The longest delay of a timer in Node, in milliseconds: 2^31 - 1. */
export const TIMER_MAX_MS = 2 ** 31 - 1

/** Returns the value of an option that may be used, or throws OPTION_INVALID. */
export type Check<V, R = V> = (option: string, value: V) => R

/**
 * What a table says of one option: its check; or in brackets the check of an option that may be left
 * out, and its default, where it has one. 'internal' marks an option of the project itself, which no
 * error names.
 */
type Option<V> =
  | Check<V, unknown>
  | (undefined extends V
      ? readonly [Check<Exclude<V, undefined>, unknown>, (V | undefined)?, 'internal'?]
      : never)

/**
 * The options of `T`, in the order in which they are checked. A missing or misspelt name is a compile
 * error, and so is a check that does not take what may be given.
 */
export type OptionTable<T> = {
  readonly [Name in keyof Required<T> & string]: Option<T[Name]>
}

/** What `readOptions` makes of `T`: the values that the checks return. */
export type Read<T, Table> = {
  readonly [Name in keyof T & keyof Table]-?: Returned<T[Name], ResultOf<Table[Name]>>
}

type ResultOf<O> = O extends readonly [Check<never, infer R>, infer Default, ...unknown[]]
  ? undefined extends Default
    ? R | undefined
    : R & (NonNullable<unknown> | null)
  : O extends readonly [Check<never, infer R>]
    ? R | undefined
    : O extends Check<never, infer R>
      ? R
      : never

/** A check that only says of what kind a value is returns a value of the option's own type. */
type Returned<V, R> = [V] extends [R]
  ? V
  : [Exclude<V, undefined>] extends [R]
    ? Exclude<V, undefined>
    : R

/**
 * Returns the error for a wrong option. The context shows `received` shortened, and calls no method
 * of the value.
 */
export function optionInvalid(
  option: string,
  expected: string,
  received: unknown,
): FeedError<'OPTION_INVALID'> {
  return invalid(option, expected, show(received))
}

function invalid(option: string, expected: string, received: string): FeedError<'OPTION_INVALID'> {
  const message = `${option} must be ${expected}, not ${received}`
  return new FeedError('OPTION_INVALID', message, { option, expected, received })
}

/**
 * Returns the values that the checks of `table` make of `options`, which is an object whose
 * enumerable names are all in the table. Without that rule a misspelt option would be ignored, and
 * the default used instead.
 * @param what the name of the object in errors
 * @param path what stands before the names of its options there
 * @throws FeedError OPTION_INVALID
 */
export function readOptions<T extends object, const Table extends OptionTable<T>>(
  options: T,
  table: Table,
  what = 'options',
  path = what === 'options' ? '' : `${what}.`,
): Read<T, Table> {
  for (const name of Object.keys(is.anObject(what, options)))
    if (!Object.hasOwn(table, name)) throw unknownOption(name, table)
  const read: Record<string, unknown> = {}
  for (const [name, entry] of Object.entries<AnyOption>(table)) {
    const [check, byDefault] = typeof entry === 'function' ? [entry] : entry
    const { [name]: value = byDefault } = options as Record<string, unknown>
    const isLeftOut = value === undefined && typeof entry !== 'function'
    read[name] = isLeftOut ? undefined : check(path + name, value as never)
  }
  return read as Read<T, Table>
}

type AnyOptional = readonly [Check<never, unknown>, unknown?, 'internal'?]

/** An option of whatever type. */
export type AnyOption = Check<never, unknown> | AnyOptional

function unknownOption(
  name: string,
  table: Readonly<Record<string, AnyOption>>,
): FeedError<'OPTION_INVALID'> {
  const option = excerpt(name)
  const known = Object.keys(table).filter(each => (table[each] as AnyOptional)[2] !== 'internal')
  const expected = `one of ${known.join(', ')}`
  const hint = nameHint(name, known) ?? `the options are ${known.join(', ')}`
  return new FeedError('OPTION_INVALID', `${option} is not an option: ${hint}`, {
    option,
    expected,
    received: option,
  })
}

/** Asks for the nearest of the known names, where one differs little from the name. */
export function nameHint(name: string, known: readonly string[]): string | undefined {
  const letters = lettersOf(name)
  const nearest =
    known.find(other => lettersOf(other) === letters) ??
    known.find(other => differBySlip(letters, lettersOf(other)))
  return nearest === undefined ? undefined : `did you mean ${excerpt(nearest)}?`
}

/** A name without what writers of names disagree on: case, spaces and hyphens. */
function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

/**
 * True where two names differ by one inserted, removed or replaced letter, or by two neighbouring
 * letters that are exchanged.
 */
function differBySlip(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  let end = 0
  while (
    end < Math.min(one.length, other.length) - start &&
    one.at(-1 - end) === other.at(-1 - end)
  )
    end++
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)]
  return (
    (left.length <= 1 && right.length <= 1) ||
    (left.length === 2 && left[0] === right[1] && left[1] === right[0])
  )
}

/**
 * The checks. Each returns the value that it was given, so that a constructor can check and store it
 * in one line, or throws OPTION_INVALID; some make a check by their arguments.
 */
export const is = {
  /** Makes a check for a whole number from `least` to `most`. */
  wholeNumber(least = 1, most = Number.MAX_SAFE_INTEGER): Check<number> {
    return (option, value) => {
      if (Number.isInteger(value) && value >= least && value <= most) return value
      throw optionInvalid(option, `a whole number from ${least} to ${most}`, value)
    }
  },

  /** Makes a check for a whole number of milliseconds that a timer can wait. */
  durationMs(least = 1): Check<number> {
    return is.wholeNumber(least, TIMER_MAX_MS)
  },

  /** Makes a check for a number, whole or not, from `least` to `most`. */
  finiteNumber(least: number, most = Number.MAX_VALUE): Check<number> {
    return (option, value) => {
      if (typeof value === 'number' && value >= least && value <= most) return value
      throw optionInvalid(option, `a number from ${least} to ${most}`, value)
    }
  },

  /** Makes a check for one of `choices`. */
  choice<const T extends string>(...choices: readonly T[]): Check<T> {
    return (option, value) => {
      if (choices.includes(value)) return value
      throw optionInvalid(option, choices.map(name => `'${name}'`).join(' or '), value)
    }
  },

  /** Checks for true or false. @throws FeedError OPTION_INVALID */
  flag(option: string, value: boolean): boolean {
    if (typeof value === 'boolean') return value
    throw optionInvalid(option, 'true or false', value)
  },

  /** Checks for a text, which may be empty. @throws FeedError OPTION_INVALID */
  anyText(option: string, value: string): string {
    if (typeof value === 'string') return value
    throw optionInvalid(option, 'text', value)
  },

  /** Checks for an object that is not an array. @throws FeedError OPTION_INVALID */
  anObject<T extends object>(option: string, value: T, expected = 'an object'): T {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
    throw optionInvalid(option, expected, value)
  },

  /** Checks for a text that is not empty. @throws FeedError OPTION_INVALID */
  filledText(option: string, value: string): string {
    if (typeof value === 'string' && value !== '') return value
    throw optionInvalid(option, 'text that is not empty', value)
  },

  /**
   * Checks for a text that is not empty and that no error may show, such as a credential. The error
   * shows only the type of the value. @throws FeedError OPTION_INVALID
   */
  secretText(option: string, value: string): string {
    if (typeof value === 'string' && value !== '') return value
    throw invalid(option, 'text that is not empty', typeof value)
  },

  /** Checks for an array. @throws FeedError OPTION_INVALID */
  arrayOf<T>(option: string, values: readonly T[]): readonly T[] {
    if (Array.isArray(values)) return values
    throw optionInvalid(option, 'an array', values)
  },

  /** Checks for an array of texts that are not empty. @throws FeedError OPTION_INVALID */
  texts(option: string, values: readonly string[]): readonly string[] {
    is.arrayOf(option, values).forEach((value, n) => is.filledText(`${option}[${n}]`, value))
    return values
  },

  /**
   * Checks for the path of a file or folder: a text that is not empty and has no NUL, which no system
   * can open, and no address, of which a system would make folders, and which may have a signature.
   * @throws FeedError OPTION_INVALID
   */
  filePath(option: string, value: string): string {
    const scheme = typeof value === 'string' && /^\s*([a-z][a-z\d+.-]+:)\/\//i.exec(value)?.[1]
    if (scheme) throw invalid(option, 'the path of a file or folder', `an address ${scheme}//…`)
    if (typeof value === 'string' && value !== '' && !value.includes('\0')) return value
    throw optionInvalid(option, 'the path of a file or folder', value)
  },

  /** Checks for a function that can be called without `new`. @throws FeedError OPTION_INVALID */
  callback<F extends (...args: never[]) => unknown>(
    option: string,
    value: F,
    expected = 'a function',
  ): F {
    if (typeof value === 'function' && !isClass(value)) return value
    throw optionInvalid(option, expected, value)
  },

  /** Makes a check for an object that has each of `methods`. */
  withMethods<T extends object>(...methods: readonly (keyof T & string)[]): Check<T> {
    return (option, value) => {
      const missing = methods.filter(
        name => typeof (value as Partial<T> | null | undefined)?.[name] !== 'function',
      )
      if (missing.length === 0) return value
      throw optionInvalid(
        option,
        `an object with the ${methods.length === 1 ? 'method' : 'methods'} ${methods.join(', ')}`,
        value,
      )
    }
  },

  /** Checks for a Date that is a time. @throws FeedError OPTION_INVALID */
  validDate(option: string, value: Date): Date {
    if (value instanceof Date && !Number.isNaN(value.getTime())) return value
    throw optionInvalid(option, 'a Date', value)
  },

  /**
   * Returns a clock as a function that gives milliseconds since 1970. The default is the system's
   * clock.
   * @throws FeedError OPTION_INVALID
   */
  clockMs(option: string, clock: Clock | undefined): () => number {
    if (clock === undefined) return Date.now
    if (clock instanceof Date && !Number.isNaN(clock.getTime())) return () => clock.getTime()
    const ask = is.callback(option, clock as () => Date, 'a Date or a function that gives one')
    return () => is.validDate(`${option}()`, ask()).getTime()
  },

  /** Leaves the check to the code that uses the value. */
  any<V>(_option: string, value: V): V {
    return value
  },
}

/**
 * What a function may return where nothing waits for it: anything but a promise, whose failure
 * would be lost.
 */
export type NoPromise =
  // biome-ignore lint/suspicious/noConfusingVoidType: functions without `return` give it
  | void
  | undefined
  | null
  | boolean
  | number
  | string
  | bigint
  | symbol
  | (object & { readonly then?: never })

/**
 * Refuses the promise that a caller's function has returned, where nothing waits for it.
 * @throws FeedError OPTION_INVALID
 */
export function noPromise<T>(option: string, returned: T): T {
  const { then } = (returned ?? {}) as { readonly then?: unknown }
  if (typeof returned !== 'object' || typeof then !== 'function') return returned
  // The mistake is reported here; a rejection of the promise has no other reader.
  Promise.resolve(returned).catch(() => {})
  throw optionInvalid(
    `${option}()`,
    'no promise, for which nothing would wait: wait in map, tap or forEach',
    returned,
  )
}

/** The current time: a fixed Date, or a function that returns the time at each call. */
export type Clock = Date | (() => Date)

/** True for a class, whose source text begins with that word. A class cannot be called. */
function isClass(value: object): boolean {
  return /^class\b/.test(Function.prototype.toString.call(value))
}

/** Returns a value as errors show it: short and on one line. It calls no method of the value. */
export function show(value: unknown): string {
  if (typeof value === 'string') return excerpt(JSON.stringify(value))
  if (typeof value === 'function') return isClass(value) ? `the class ${value.name}` : 'a function'
  if (Array.isArray(value)) return 'an array'
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? 'an invalid Date' : value.toISOString()
  if (typeof value === 'object' && value !== null) return 'an object'
  return excerpt(String(value))
}
