// How the commands of the service print: tables and facts for people, JSON for programs, and notes
// on standard error where that is a terminal.

import type { FeedService, FeedServiceOptions } from '../../index'
import { jsonText, print, printError } from '../output'
import { type ServiceSettings, serviceOf } from '../service-settings'
import { textTable } from '../text-table'

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

/**
 * Prints the records of a list: each as a line of JSON when it has come, or all as one table.
 * @param limit the most records
 */
export async function printList<T>(
  records: AsyncIterable<T>,
  options: { readonly json: boolean; readonly limit?: number },
  heading: readonly string[],
  linesOf: (record: T) => readonly (readonly string[])[],
): Promise<void> {
  const lines: (readonly string[])[] = []
  let count = 0
  for await (const record of records) {
    if (options.json) await print(jsonText(record))
    else lines.push(...linesOf(record))
    if (++count === options.limit) break
  }
  if (!options.json) await printTable(heading, lines)
}

/** Prints a table of words, or says that there is nothing to show. */
export async function printTable(
  heading: readonly string[],
  lines: readonly (readonly string[])[],
): Promise<void> {
  if (lines.length === 0) note('the service has nothing to show')
  else await print(textTable(heading, lines, { words: heading.length }))
}

/** Prints the names and values of one object, a line each. */
export async function printFacts(
  facts: readonly (readonly [name: string, value: string])[],
): Promise<void> {
  const width = Math.max(...facts.map(([name]) => name.length))
  await print(facts.map(([name, value]) => `${name.padEnd(width)}  ${value}`))
}
