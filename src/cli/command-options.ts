// The adapter of commander: its classes, the options that several commands have, the readers of
// option values, and the parts of help texts. The commands are in program.ts and in the files that
// it names.

import { Command, InvalidArgumentError, Option } from 'commander'
import { readByteSize } from './byte-size'
import { SERVICE_VARIABLES } from './service-settings'

export { Command, InvalidArgumentError, Option }

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

export function table(heading: string, lines: readonly (readonly [string, string])[]): string {
  const width = Math.max(...lines.map(([word]) => word.length))
  return `\n${heading}:\n${lines.map(([word, meaning]) => `  ${word.padEnd(width)}  ${meaning}`).join('\n')}`
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

export function positive(text: string): number {
  const value = wholeNumber(text)
  if (value === 0) throw new InvalidArgumentError('not a whole number above 0')
  return value
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
