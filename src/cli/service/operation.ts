// One operation of the service as a command: its options and help, the call, and how its records
// are printed, as tables and facts for people or as JSON for programs. The operations are in
// service-commands.ts.

import type { FeedService, FeedServiceOptions } from '../../service'
import type { Command, Option, Values } from '../command-options'
import { PROXY_VARIABLES } from '../environment-proxy'
import { jsonText, print, printError } from '../output'
import {
  CREDENTIAL_VARIABLES,
  SERVICE_OPTIONS,
  type ServiceSettings,
  serviceOf,
} from '../service-settings'
import { textTable } from '../text-table'

export interface OperationOptions extends ServiceSettings {
  readonly json: boolean
  /** The most records to print. */
  readonly limit?: number
}

/** How the records of an operation are shown to people. */
export interface Shown<T> {
  readonly heading: readonly string[]
  /** The lines of a record, each with a cell for each column. */
  linesOf(record: T): readonly (readonly string[])[]
  /** True where the record is one object, whose cells are shown below each other. */
  readonly isOne?: boolean
}

export interface Operation<O, T> extends Shown<T> {
  /** Calls the service. A list gives its records one by one. */
  call(service: FeedService, options: O, id: string): Promise<T> | AsyncIterable<T>
}

/**
 * Makes a command with options of its own call an operation. Its argument, where it has one, is the
 * identifier.
 */
export function operate<const Options extends readonly Option[], T>(
  command: Command,
  options: Options,
  operation: Operation<Values<Options> & OperationOptions, T>,
): void {
  withServiceOptions(command, options).action((...given: unknown[]) => {
    const [id, chosen] = (given.length > 2 ? given : ['', given[0]]) as [
      string,
      Values<Options> & OperationOptions,
    ]
    return withService(chosen, service =>
      show(operation.call(service, chosen, id), chosen, operation),
    )
  })
}

/** Prints each record as a line of JSON when it has come, or all as one table. */
async function show<T>(
  answer: Promise<T> | AsyncIterable<T>,
  { json, limit }: OperationOptions,
  { heading, linesOf, isOne }: Shown<T>,
): Promise<void> {
  const lines: (readonly string[])[] = []
  let count = 0
  for await (const record of answer instanceof Promise ? [await answer] : answer) {
    if (json) await print(jsonText(record))
    else lines.push(...linesOf(record))
    if (++count === limit) break
  }
  if (json) return
  const width = Math.max(...heading.map(name => name.length))
  if (lines.length === 0) note('the service has nothing to show')
  else if (isOne !== true) await print(textTable(heading, lines, heading.length))
  else await print(heading.map((name, n) => `${name.padEnd(width)}  ${lines[0]![n]}`))
}

/** Runs `work` with the service of the settings, and closes the service in any case. */
export async function withService(
  settings: ServiceSettings,
  work: (service: FeedService) => Promise<void>,
  options: FeedServiceOptions = {},
): Promise<void> {
  const service = serviceOf(settings, {
    retry: {
      onRetry: ({ error, delayMs }) =>
        note(`${error.code}: ${error.message}; asked again in ${(delayMs / 1000).toFixed(1)} s`),
    },
    ...options,
  })
  try {
    await work(service)
  } finally {
    await service.close()
  }
}

/** Writes a line to standard error where a person reads it. */
export function note(text: string): void {
  if (process.stderr.isTTY) printError(`feedmill: ${text}`)
}

/** Adds the options and the help of a command of the service. */
export function withServiceOptions(command: Command, options: readonly Option[]): Command {
  return command
    .addOptions([...options, ...SERVICE_OPTIONS])
    .table('Credentials', CREDENTIAL_VARIABLES)
    .table('Proxy and certificates', PROXY_VARIABLES)
}
