// The adapter of commander: its classes, the options that several commands have, the readers of
// option values, and the parts of help texts. The commands are in program.ts and in the files that
// it names.

import { Command as CommanderCommand, Help, InvalidArgumentError, Option } from 'commander'
import { type Dialect, readInstant } from '../index'
import { readByteSize } from './byte-size'
import { given } from './given'
import { needPackages } from './needed-packages'

export { InvalidArgumentError, type Option }

/** The part of a message of commander that repeats a word of the caller. */
const REPEATED =
  /(?<!required )(argument|value|unknown command|unknown option) '(.*)'(?= is invalid|\n|$)/s

/**
 * The class of commander, with messages that show no word which is not checked yet: a word at a
 * wrong place may be a secret. The name of an unknown option is shown, without its value.
 */
export class Command extends CommanderCommand {
  declare readonly commands: readonly Command[]

  override createCommand(name?: string): Command {
    return new Command(name)
  }

  override error(message: string, options?: Parameters<CommanderCommand['error']>[1]): never {
    const shown = message.replace(REPEATED, (_, what: string, word: string) => {
      const [name] = (what === 'unknown option' && /^--[a-z-]+(?=$|=)/.exec(word)) || []
      return name === undefined ? what : `${what} '${name}'`
    })
    super.error(shown, options)
  }

  addOptions(options: readonly Option[]): this {
    for (const each of options) this.addOption(each)
    return this
  }

  /** Adds calls of the command line to the help. */
  examples(...lines: readonly string[]): this {
    const heading = lines.length === 1 ? 'Example' : 'Examples'
    const calls = lines.map(line => `  feedmill ${line}`).join('\n')
    return this.addHelpText('after', `\n${heading}:\n${calls}`)
  }

  /** Adds a table to the help. */
  table(heading: string, lines: TableLines): this {
    return this.addHelpText('after', table(heading, lines))
  }

  /** Refuses every call where packages of the command are not installed. */
  needs(name: Parameters<typeof needPackages>[0]): this {
    return this.hook('preAction', () => needPackages(name))
  }
}

/** What an option has beside its flags and its description. */
interface OptionFacts {
  /** Makes the value of the text, and of the value of the same option before it. */
  readonly read?: (text: string, before?: never) => unknown
  readonly choices?: readonly string[]
  readonly default?: unknown
  /** The default in words. */
  readonly defaultText?: string
  readonly required?: true
  readonly env?: string
  /** The names of options that cannot be given too. */
  readonly conflicts?: readonly string[]
}

/** An option whose flags and facts the compiler knows. */
export interface KnownOption<Flags extends string, Facts> extends Option {
  readonly known?: { readonly flags: Flags; readonly facts: Facts }
}

/** Makes an option. {@link Values} has the values of a list of options as a type. */
export function option<const Flags extends string, const Facts extends OptionFacts = object>(
  flags: Flags,
  description: string,
  facts: Facts & OptionFacts = {} as Facts,
): KnownOption<Flags, Facts> {
  const made = new Option(flags, description).conflicts([...(facts.conflicts ?? [])])
  if (facts.default !== undefined) made.default(facts.default, facts.defaultText)
  if (facts.choices !== undefined) made.choices(facts.choices)
  if (facts.read !== undefined) made.argParser(facts.read as (text: string) => unknown)
  if (facts.env !== undefined) made.env(facts.env)
  return made.makeOptionMandatory(facts.required === true)
}

type NameOf<Flags> = Flags extends `--${infer Words} ${string}`
  ? CamelCase<Words>
  : Flags extends `--${infer Words}`
    ? CamelCase<Words>
    : never
type CamelCase<Words extends string> = Words extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Words

type ValueOf<Flags, Facts> = Facts extends { read: (...given: never[]) => infer Value }
  ? Value
  : Facts extends { choices: readonly (infer Choice)[] }
    ? Choice
    : Flags extends `${string}<${string}`
      ? string
      : Flags extends `${string}[${string}`
        ? string | true
        : boolean

/** The values of options, by their names. Those without a value of their own may be left out. */
export type Values<Options extends readonly unknown[]> = {
  readonly [O in Options[number] as NameIn<O, true>]: ValueIn<O>
} & { readonly [O in Options[number] as NameIn<O, false>]?: ValueIn<O> }
type NameIn<O, IsGiven> =
  O extends KnownOption<infer Flags, infer Facts>
    ? IsGiven extends (Facts extends { default: unknown } | { required: true } ? true : false)
      ? NameOf<Flags>
      : never
    : never
type ValueIn<O> = O extends KnownOption<infer Flags, infer Facts> ? ValueOf<Flags, Facts> : never

/** The names of the feeds of the service. */
export const FEEDS = ['item', 'item_group', 'item_snapshot', 'item_priority'] as const

/** The options that say how a feed file is read. */
export const FEED_FILE_OPTIONS = [
  option('--schema <file>', 'a schema of your own: a module that exports it, or JSON', {
    conflicts: ['feed'],
  }),
  option('--delimiter <character>', 'what stands between two cells; a tab by default'),
  option('--quoting <form>', 'how cells are quoted; backslash by default', {
    choices: ['backslash', 'doubled', 'none', 'escapes', 'json-lines'],
  }),
  option('--header <names>', 'the columns of a file without a header line, separated by commas', {
    read: text => text.split(','),
  }),
  option('--comment <character>', 'what lines begin with that stand before the header line'),
  option('--encoding <name>', 'the encoding of the file, such as windows-1252; UTF-8 by default'),
] as const

export const BAD_ROWS_OPTION = option(
  '--bad-rows <policy>',
  'a row that cannot be read fails the command, or is left out',
  { choices: ['fail', 'skip'], default: 'fail' },
)

export function feedOption(feedDefault: string) {
  return option('--feed <name>', `the feed of the file; by default ${feedDefault}`, {
    choices: FEEDS,
  })
}

/** @param described the dialect that the file of `--schema` has; options say otherwise */
export function dialectOf(
  { delimiter, quoting, header, comment, encoding }: Values<typeof FEED_FILE_OPTIONS>,
  described: Dialect = {},
): Dialect {
  return { ...described, ...given({ delimiter, quoting, header, comment, encoding }) }
}

export const CLOCK_OPTION = option(
  '--now <time>',
  "the service's clock, where it stands still, as that of `serve --now`; with its zone",
  { read: time },
)

export function jsonOption(description: string) {
  return option('--json', description, { default: false })
}

type TableLines = readonly (readonly [word: string, meaning: string])[]

/** Returns a table for the help, wrapped at the width of the terminal. */
function table(heading: string, lines: TableLines): string {
  const width = Math.max(...lines.map(([word]) => word.length))
  const indent = ' '.repeat(width + 4)
  const meaningOf = (meaning: string) =>
    new Help()
      .boxWrap(meaning, (process.stdout.columns ?? 80) - indent.length)
      .replaceAll('\n', `\n${indent}`)
  return `\n${heading}:\n${lines.map(([word, meaning]) => `  ${word.padEnd(width)}  ${meaningOf(meaning)}`).join('\n')}`
}

/** Describes an option in the help, which marks the required ones. */
export function optionDescription(option: Option): string {
  const described = new Help().optionDescription(option)
  return option.mandatory ? `${described} (required)` : described
}

/** Reads names between commas. */
export function names(text: string): readonly string[] {
  return text.split(',').map(name => name.trim())
}

export function several(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

export function byteSize(text: string): number {
  const bytes = readByteSize(text)
  if (bytes === undefined) throw new InvalidArgumentError('not a size such as 256MB')
  return bytes
}

export function nowOrTime(text: string): Date | 'now' {
  return text === 'now' ? text : time(text)
}

function wholeNumberLike(form: RegExp): (text: string) => number {
  return text => {
    const value = Number(text)
    if (form.test(text) && Number.isSafeInteger(value)) return value
    throw new InvalidArgumentError('not a whole number')
  }
}

export const wholeNumber = wholeNumberLike(/^\d+$/)
export const seedOf = wholeNumberLike(/^-?\d+$/)

export function positive(text: string): number {
  const value = wholeNumber(text)
  if (value === 0) throw new InvalidArgumentError('not a whole number above 0')
  return value
}

/** The reader of a whole number in bounds. */
export function wholeNumberOf(least: number, most: number): (text: string) => number {
  return text => {
    const value = wholeNumber(text)
    if (value >= least && value <= most) return value
    throw new InvalidArgumentError(`not a whole number from ${least} to ${most}`)
  }
}

export function time(text: string): Date {
  const value = readInstant(text)
  if (value !== undefined) return value
  throw new InvalidArgumentError('not a time with its zone that exists, e.g. 2026-03-01T12:00:00Z')
}

export function share(text: string): number {
  const value = Number(text)
  if (!(value >= 0 && value <= 1)) throw new InvalidArgumentError('not a number from 0 to 1')
  return value
}
