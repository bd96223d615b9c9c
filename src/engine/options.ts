// The checks of options, with one wording of OPTION_INVALID. A check returns the value that it was
// given, so that a constructor can check and store it in one line. The checks know no particular
// option; the defaults stand where the options are declared.

import { excerpt, FeedError } from './errors'

/** The longest delay of a timer in Node, in milliseconds: 2^31 - 1. */
export const TIMER_MAX_MS = 2 ** 31 - 1

/**
 * The names of all options of `T`. No error tells of one with the value 'internal'. A missing or
 * misspelt name is a compile error.
 */
export type OptionNames<T> = { readonly [Name in keyof Required<T>]: unknown }

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
 * Returns `options` when it is an object whose enumerable names are all in `names`.
 * Without this check a misspelt option would be ignored, and the default used instead.
 * @param what the name of the object in errors
 * @throws FeedError OPTION_INVALID
 */
export function knownOptions<T extends object>(
  options: T,
  names: OptionNames<T>,
  what = 'options',
): T {
  for (const name of Object.keys(anObject(what, options))) {
    if (!Object.hasOwn(names, name)) {
      const told = Object.entries(names).filter(([, kind]) => kind !== 'internal')
      throw unknownOption(
        name,
        told.map(([known]) => known),
      )
    }
  }
  return options
}

function unknownOption(name: string, known: readonly string[]): FeedError<'OPTION_INVALID'> {
  const option = excerpt(name)
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

/** Checks for a whole number from `least` to `most`. @throws FeedError OPTION_INVALID */
export function wholeNumber(
  option: string,
  value: number,
  least = 1,
  most = Number.MAX_SAFE_INTEGER,
): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw optionInvalid(option, `a whole number from ${least} to ${most}`, value)
}

/**
 * Checks for a whole number of milliseconds that a timer can wait. @throws FeedError OPTION_INVALID
 */
export function durationMs(option: string, value: number, least = 1): number {
  return wholeNumber(option, value, least, TIMER_MAX_MS)
}

/** Checks for a number, whole or not, from `least` to `most`. @throws FeedError OPTION_INVALID */
export function finiteNumber(
  option: string,
  value: number,
  least: number,
  most = Number.MAX_VALUE,
): number {
  if (typeof value === 'number' && value >= least && value <= most) return value
  throw optionInvalid(option, `a number from ${least} to ${most}`, value)
}

/** Checks for one of `choices`. @throws FeedError OPTION_INVALID */
export function choice<const T extends string>(option: string, value: T, choices: readonly T[]): T {
  if (choices.includes(value)) return value
  throw optionInvalid(option, choices.map(name => `'${name}'`).join(' or '), value)
}

/** Checks for true or false. @throws FeedError OPTION_INVALID */
export function flag(option: string, value: boolean): boolean {
  if (typeof value === 'boolean') return value
  throw optionInvalid(option, 'true or false', value)
}

/** Checks for a text, which may be empty. @throws FeedError OPTION_INVALID */
export function anyText(option: string, value: string): string {
  if (typeof value === 'string') return value
  throw optionInvalid(option, 'text', value)
}

/** Checks for an object that is not an array. @throws FeedError OPTION_INVALID */
export function anObject<T>(option: string, value: T, expected = 'an object'): T {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw optionInvalid(option, expected, value)
}

/** Checks for a text that is not empty. @throws FeedError OPTION_INVALID */
export function filledText(option: string, value: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw optionInvalid(option, 'text that is not empty', value)
}

/**
 * Checks for a text that is not empty and that no error may show, such as a credential. The error
 * shows only the type of the value. @throws FeedError OPTION_INVALID
 */
export function secretText(option: string, value: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw invalid(option, 'text that is not empty', typeof value)
}

/** Checks for an array. @throws FeedError OPTION_INVALID */
export function arrayOf<T>(option: string, values: readonly T[]): readonly T[] {
  if (Array.isArray(values)) return values
  throw optionInvalid(option, 'an array', values)
}

/** Checks for an array of texts that are not empty. @throws FeedError OPTION_INVALID */
export function texts(option: string, values: readonly string[]): readonly string[] {
  arrayOf(option, values).forEach((value, n) => filledText(`${option}[${n}]`, value))
  return values
}

/**
 * Checks for the path of a file or folder: a text that is not empty and has no NUL, which no system
 * can open, and no address, of which a system would make folders, and which may have a signature.
 * @throws FeedError OPTION_INVALID
 */
export function filePath(option: string, value: string | undefined): string {
  const scheme = typeof value === 'string' && /^\s*([a-z][a-z\d+.-]+:)\/\//i.exec(value)?.[1]
  if (scheme) throw invalid(option, 'the path of a file or folder', `an address ${scheme}//…`)
  if (typeof value === 'string' && value !== '' && !value.includes('\0')) return value
  throw optionInvalid(option, 'the path of a file or folder', value)
}

/** Checks for a function that can be called without `new`. @throws FeedError OPTION_INVALID */
export function callback<F>(option: string, value: F, expected = 'a function'): F {
  if (typeof value === 'function' && !isClass(value)) return value
  throw optionInvalid(option, expected, value)
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

/** Checks for an object that has each of `methods`. @throws FeedError OPTION_INVALID */
export function withMethods<T extends object>(
  option: string,
  value: T,
  methods: readonly (keyof T & string)[],
): T {
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

/** Checks for a Date that is a time. @throws FeedError OPTION_INVALID */
export function validDate(option: string, value: Date): Date {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value
  throw optionInvalid(option, 'a Date', value)
}

/** The current time: a fixed Date, or a function that returns the time at each call. */
export type Clock = Date | (() => Date)

/**
 * Returns a clock as a function that gives milliseconds since 1970. The default is the system's
 * clock.
 * @throws FeedError OPTION_INVALID
 */
export function clockMs(option: string, clock: Clock | undefined): () => number {
  if (clock === undefined) return Date.now
  if (clock instanceof Date && !Number.isNaN(clock.getTime())) return () => clock.getTime()
  const ask = callback(option, clock as () => Date, 'a Date or a function that gives one')
  return () => validDate(`${option}()`, ask()).getTime()
}

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
