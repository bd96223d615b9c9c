// The options of `feedmill verify`.

import { type Command, InvalidArgumentError, several, wholeNumberOf } from '../command-options'
import { needPackages } from '../needed-packages'
import { VERIFY_FAULTS } from './fault-rounds'
import type { VerifyOptions } from './verify'

const FAULT_NAMES = VERIFY_FAULTS.map(({ name }) => name)
/** The truth of a round is in memory. */
const MAX_ITEMS = 100_000
const MAX_SECONDS = 86_400

export function addVerifyCommand(feedmill: Command): Command {
  const command = feedmill.command('verify')
  const option = (flags: string, description: string) => command.createOption(flags, description)
  return command
    .description(
      'Prove an ingestion program of any language: run it against the emulated service, without ' +
        'faults, with each kind of fault and with all of them, and compare what it wrote with the ' +
        'truth. The exit code is 1 when it is wrong.',
    )
    .argument('<command...>', 'the program and its arguments, after --')
    .addOption(
      option('--items <count>', 'items ever listed in each category')
        .argParser(wholeNumberOf(1, MAX_ITEMS))
        .default(500),
    )
    .addOption(
      option('--seed <number>', 'seed of the world and of the faults')
        .argParser(wholeNumberOf(0, 1e15))
        .default(7),
    )
    .option('--marketplace <id>', 'the marketplace', 'MKT_US')
    .option('--category <id>', 'a top-level category; may be repeated; 220 by default', several)
    .addOption(
      option(
        '--fault <kind>',
        `run the rounds of this fault only; may be repeated: ${FAULT_NAMES.join(', ')}`,
      ).argParser(fault),
    )
    .option('--output <file>', 'the name of the file that the command writes', 'items.ndjson')
    .addOption(
      option(
        '--format <format>',
        'how the output is written; by the name of the output if absent',
      ).choices(['ndjson', 'csv', 'sqlite']),
    )
    .option('--table <name>', 'the table of an SQLite output', 'items')
    .option(
      '--rename <theirs=documented>',
      'the documented name of a column of the output; may be repeated',
      several,
      [],
    )
    .option('--ignore <column>', 'a column that is not compared; may be repeated', several, [])
    .addOption(
      option('--attempts <count>', 'how often a command is started that ends with a failure')
        .argParser(wholeNumberOf(1, 100))
        .default(3),
    )
    .addOption(
      option('--timeout <seconds>', 'time limit for the command; after it the command is killed')
        .argParser(wholeNumberOf(1, MAX_SECONDS))
        .default(60),
    )
    .option(
      '--json [file]',
      'print JSON instead of the table, or print the table and write JSON to a file',
    )
    .action(async (words: string[], options: VerifyOptions) => {
      needPackages('verify')
      await (await import('./verify')).verify(words, options)
    })
}

function fault(text: string, before: readonly string[] = []): string[] {
  if (FAULT_NAMES.includes(text)) return [...before, text]
  throw new InvalidArgumentError(`not one of ${FAULT_NAMES.join(', ')}`)
}
