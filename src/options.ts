// The checks of what a caller gives: every OPTION_INVALID is made here, in one wording. A check
// returns the value that it was given, so that a constructor can check and keep it in one line. It
// knows nothing of any particular option; defaults stand where the options are declared.

import { excerpt, FeedError } from './errors'

/** The longest time limit, in milliseconds, that a timer of Node can wait for: 2^31 - 1. */
export const TIMER_MAX_MS = 2 ** 31 - 1

/**
 * The names of all options of `T`. The type makes a name that is missing or misspelt a compile
 * error.
 */
export type OptionNames<T> = { readonly [Name in keyof Required<T>]: true }

/**
 * The one error for a wrong option. `received` is shown cut, and never by a method of the value
 * itself.
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
 * An unknown name would otherwise be ignored, and its default used in silence.
 * @param what names the whole in errors: `options` unless it has a name of its own
 * @throws FeedError OPTION_INVALID
 */
export function knownOptions<T extends object>(
  options: T,
  names: OptionNames<T>,
  what = 'options',
): T {
  for (const name of Object.keys(anObject(what, options))) {
    if (!Object.hasOwn(names, name)) throw unknownOption(name, Object.keys(names))
  }
  return options
}

function unknownOption(name: string, known: readonly string[]): FeedError<'OPTION_INVALID'> {
  const option = excerpt(name)
  const nearest =
    known.find(candidate => candidate.toLowerCase() === name.toLowerCase()) ??
    known.find(other => differBySlip(name, other))
  const expected = `one of ${known.join(', ')}`
  const hint =
    nearest === undefined ? `the options are ${known.join(', ')}` : `did you mean ${nearest}?`
  return new FeedError('OPTION_INVALID', `${option} is not an option: ${hint}`, {
    option,
    expected,
    received: option,
  })
}

/**
 * True where one letter more, less, other or exchanged with its neighbour makes one name of the
 * other.
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

/** A whole number from `least` to `most`. @throws FeedError OPTION_INVALID */
export function wholeNumber(
  option: string,
  value: number,
  least = 1,
  most = Number.MAX_SAFE_INTEGER,
): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw optionInvalid(option, `a whole number from ${least} to ${most}`, value)
}

/** A time in whole milliseconds that a timer can wait for. @throws FeedError OPTION_INVALID */
export function durationMs(option: string, value: number, least = 1): number {
  return wholeNumber(option, value, least, TIMER_MAX_MS)
}

/** A number, whole or not, from `least` to `most`. @throws FeedError OPTION_INVALID */
export function finiteNumber(
  option: string,
  value: number,
  least: number,
  most = Number.MAX_VALUE,
): number {
  if (typeof value === 'number' && value >= least && value <= most) return value
  throw optionInvalid(option, `a number from ${least} to ${most}`, value)
}

/** One of `choices`. @throws FeedError OPTION_INVALID */
export function choice<const T extends string>(option: string, value: T, choices: readonly T[]): T {
  if (choices.includes(value)) return value
  throw optionInvalid(option, choices.map(name => `'${name}'`).join(' or '), value)
}

/** true or false. @throws FeedError OPTION_INVALID */
export function flag(option: string, value: boolean): boolean {
  if (typeof value === 'boolean') return value
  throw optionInvalid(option, 'true or false', value)
}

/** Text, which may be empty. @throws FeedError OPTION_INVALID */
export function anyText(option: string, value: string): string {
  if (typeof value === 'string') return value
  throw optionInvalid(option, 'text', value)
}

/** An object, which is no list. @throws FeedError OPTION_INVALID */
export function anObject<T>(option: string, value: T, expected = 'an object'): T {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw optionInvalid(option, expected, value)
}

/** Text that is not empty. @throws FeedError OPTION_INVALID */
export function filledText(option: string, value: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw optionInvalid(option, 'text that is not empty', value)
}

/**
 * Text that is not empty and that no error may show, such as a credential: `received` is the type of
 * the value. @throws FeedError OPTION_INVALID
 */
export function secretText(option: string, value: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw invalid(option, 'text that is not empty', typeof value)
}

/** An array. @throws FeedError OPTION_INVALID */
export function arrayOf<T>(option: string, values: readonly T[]): readonly T[] {
  if (Array.isArray(values)) return values
  throw optionInvalid(option, 'an array', values)
}

/** A list of texts that are not empty. @throws FeedError OPTION_INVALID */
export function texts(option: string, values: readonly string[]): readonly string[] {
  if (Array.isArray(values) && values.every(value => typeof value === 'string' && value !== ''))
    return values
  throw optionInvalid(option, 'an array of texts that are not empty', values)
}

/**
 * The path of a file or folder: text that is not empty and holds no NUL, which no system can open.
 * @throws FeedError OPTION_INVALID
 */
export function filePath(option: string, value: string): string {
  if (typeof value === 'string' && value !== '' && !value.includes('\0')) return value
  throw optionInvalid(option, 'the path of a file or folder', value)
}

/** A function. @throws FeedError OPTION_INVALID */
export function callback<F>(option: string, value: F, expected = 'a function'): F {
  if (typeof value === 'function' && !isClass(value)) return value
  throw optionInvalid(option, expected, value)
}

/** An object with a function under each of `methods`. @throws FeedError OPTION_INVALID */
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

/**
 * The time now: a moment at which the clock stands still, or a function that is asked each time.
 */
export type Clock = Date | (() => Date)

/**
 * A clock as a function that gives milliseconds since 1970; the system's clock where none is given.
 * @throws FeedError OPTION_INVALID
 */
export function clockMs(option: string, clock: Clock | undefined): () => number {
  if (clock === undefined) return Date.now
  if (clock instanceof Date && !Number.isNaN(clock.getTime())) return () => clock.getTime()
  const ask = callback(option, clock as () => Date, 'a Date or a function that gives one')
  return () => {
    const now = ask()
    if (now instanceof Date && !Number.isNaN(now.getTime())) return now.getTime()
    throw optionInvalid(`${option}()`, 'a Date', now)
  }
}

/** A class cannot be called, so it is never a callback. Its source text begins with the word. */
function isClass(value: object): boolean {
  return /^class\b/.test(Function.prototype.toString.call(value))
}

/**
 * A value as an error shows it: short, on one line, and without a call to anything of the value's
 * own.
 */
export function show(value: unknown): string {
  if (typeof value === 'string') return excerpt(JSON.stringify(value))
  if (typeof value === 'function') return isClass(value) ? `the class ${value.name}` : 'a function'
  if (Array.isArray(value)) return 'an array'
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? 'an invalid Date' : value.toISOString()
  if (typeof value === 'object' && value !== null) return 'an object'
  return excerpt(String(value))
}
