// The adapter of commander: its classes, the options that several commands have, the readers of
// option values, and the parts of help texts. The commands are in program.ts and in the files that
// it names.

import { Command as CommanderCommand, Help, InvalidArgumentError, Option } from 'commander'
import type { Dialect } from '../index'
import { readByteSize } from './byte-size'
import { SERVICE_VARIABLES } from './service-settings'

export { InvalidArgumentError, Option }

/** The part of a message of commander that repeats a word of the caller. */
const REPEATED =
  /(?<!required )(argument|value|unknown command|unknown option) '(.*)'(?= is invalid|\n|$)/s

/**
 * The class of commander, with messages that show no word which is not checked yet: a word at a
 * wrong place may be a secret. The name of an unknown option is shown, without its value.
 */
export class Command extends CommanderCommand {
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
}

/** The options of the commands that speak to a service. Credentials are never options. */
export function serviceOptions(): Option[] {
  const { profile, baseUrl, tokenUrl, scopeBase, credentials } = SERVICE_VARIABLES
  return [
    new Option('--profile <file>', 'JSON file with the options of a service profile').env(profile),
    new Option('--base-url <url>', 'address of the service').env(baseUrl),
    new Option('--token-url <url>', 'address of the token endpoint').env(tokenUrl),
    new Option('--scope-base <url>', 'beginning of the names of scopes').env(scopeBase),
    new Option(
      '--credentials <file>',
      'JSON file with clientId and clientSecret that only you can read',
    ).env(credentials),
    new Option('--sandbox', 'limit ranges to 10 MB instead of 100 MB'),
    new Option('--allow-http', 'accept plain http to other machines'),
  ]
}

const FEEDS = ['item', 'item_group', 'item_snapshot', 'item_priority']

/** The options that say how a feed file is read. */
export function feedFileOptions(feedDefault: string): Option[] {
  return [
    new Option('--feed <name>', `the feed of the file; by default ${feedDefault}`).choices(FEEDS),
    new Option(
      '--schema <file>',
      'a schema of your own: a module that exports it, or JSON',
    ).conflicts('feed'),
    new Option('--delimiter <character>', 'what stands between two cells; a tab by default'),
    new Option(
      '--quoting <form>',
      'how quotes are escaped in quoted cells; by backslash by default',
    ).choices(['backslash', 'doubled', 'none']),
  ]
}

export interface DialectOptions {
  readonly delimiter?: string
  readonly quoting?: NonNullable<Dialect['quoting']>
}

export function dialectOf({ delimiter, quoting }: DialectOptions): Dialect | undefined {
  if (delimiter === undefined && quoting === undefined) return undefined
  return { ...(delimiter !== undefined && { delimiter }), ...(quoting && { quoting }) }
}

export function clockOption(): Option {
  return new Option(
    '--now <time>',
    "the service's clock, where it stands still, as that of `serve --now`",
  ).argParser(time)
}

export function jsonOption(description: string): Option {
  return new Option('--json', description).default(false)
}

export function examples(...lines: readonly string[]): string {
  return `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map(line => `  feedmill ${line}`).join('\n')}`
}

/** Returns a table for the help, wrapped at the width of the terminal. */
export function table(heading: string, lines: readonly (readonly [string, string])[]): string {
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

export function several(value: string, before: readonly string[] = []): string[] {
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

export function wholeNumber(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError('not a whole number')
  return value
}

export function seedOf(text: string): number {
  const value = Number(text)
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError('not a whole number')
  return value
}

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
  const value = new Date(text)
  if (Number.isNaN(value.getTime())) throw new InvalidArgumentError('not a time')
  return value
}

export function share(text: string): number {
  const value = Number(text)
  if (!(value >= 0 && value <= 1)) throw new InvalidArgumentError('not a number from 0 to 1')
  return value
}
