// The options of `feedmill verify`.

import {
  type Command,
  InvalidArgumentError,
  option,
  several,
  type Values,
  wholeNumberOf,
} from '../command-options'
import { VERIFY_FAULTS } from './fault-rounds'

const FAULT_NAMES = VERIFY_FAULTS.map(({ name }) => name)
/** The truth of a round is in memory. */
const ITEMS = wholeNumberOf(1, 100_000)
const SECONDS = wholeNumberOf(1, 86_400)

const OPTIONS = [
  option('--items <count>', 'items ever listed in each category', { read: ITEMS, default: 500 }),
  option('--seed <number>', 'seed of the world and of the faults', {
    read: wholeNumberOf(0, 1e15),
    default: 7,
  }),
  option('--marketplace <id>', 'the marketplace', { default: 'MKT_US' }),
  option('--category <id>', 'a top-level category; may be repeated; 220 by default', {
    read: several,
  }),
  option(
    '--fault <kind>',
    `run the rounds of this fault only; may be repeated: ${FAULT_NAMES.join(', ')}`,
    { read: fault },
  ),
  option(
    '--route <route>',
    'the path whose requests meet the faults, with * for any text; all files if absent',
  ),
  option('--header-form <form>', 'form of Range and Content-range; rfc9110 is for stock clients', {
    choices: ['documented', 'rfc9110'],
    default: 'documented',
  }),
  option('--output <file>', 'the name of the file that the command writes', {
    default: 'items.ndjson',
  }),
  option('--format <format>', 'how the output is written; by the name of the output if absent', {
    choices: ['ndjson', 'csv', 'sqlite'],
  }),
  option('--table <name>', 'the table of an SQLite output', { default: 'items' }),
  option(
    '--rename <theirs=documented>',
    'the documented name of a column of the output; may be repeated',
    { read: several, default: [] },
  ),
  option('--ignore <column>', 'a column that is not compared; may be repeated', {
    read: several,
    default: [],
  }),
  option('--attempts <count>', 'how often a command is started that ends with a failure', {
    read: wholeNumberOf(1, 100),
    default: 3,
  }),
  option('--timeout <seconds>', 'time limit for the command; after it the command is killed', {
    read: SECONDS,
    default: 60,
  }),
  option(
    '--json [file]',
    'print JSON instead of the table, or print the table and write JSON to a file',
  ),
] as const
export type VerifyOptions = Values<typeof OPTIONS>

export function addVerifyCommand(feedmill: Command): void {
  feedmill
    .command('verify')
    .description(
      'Prove an ingestion program of any language: run it against the emulated service, without ' +
        'faults, with each kind of fault and with all of them, and compare what it wrote with the ' +
        'truth. The exit code is 1 when it is wrong.',
    )
    .argument('<command...>', 'the program and its arguments, after --')
    .addOptions(OPTIONS)
    .examples('verify -- python3 ingest.py', 'verify --output items.csv --fault quotes -- ./ingest')
    .needs('verify')
    .action(async (words, options) => (await import('./verify')).verify(words, options))
}

function fault(text: string, before: readonly string[] = []): string[] {
  if (FAULT_NAMES.includes(text)) return [...before, text]
  throw new InvalidArgumentError(`not one of ${FAULT_NAMES.join(', ')}`)
}
