// The commands and their options; commander's adapter. What a command does stands in its own file.

import { Command, InvalidArgumentError, Option } from 'commander'
import { readByteSize } from './byte-size'
import { demo } from './demo'
import { exportCommand } from './export'
import { addProfileCommand } from './profile-command'
import { serve } from './serve'
import { SERVICE_VARIABLES } from './service-settings'
import { statusCommand } from './status'
import { syncCommand } from './sync'

export function program(argv: readonly string[]): Command {
  const feedmill = new Command('feedmill').description('Stream processing for marketplace feed files.')
  feedmill
    .command('demo')
    .description('Ingest one category from an emulated service over a loopback socket, and prove the result right.')
    .option('--items <count>', 'items ever listed in the category', wholeNumber, 20_000)
    .option('--seed <number>', 'which world', wholeNumber, 7)
    .option('--chunk-bytes <bytes>', 'size of one byte range', wholeNumber, 1 << 20)
    .option('--out <file>', 'where the merged items go', 'feedmill-demo.ndjson')
    .option('--stream-only', 'the bootstrap file alone: no state, no join, constant memory', false)
    .addOption(
      new Option('--interrupt', 'kill a first run in the middle, and go on from what it left').conflicts('streamOnly').default(false),
    )
    .option('--json', 'print one JSON object and nothing else', false)
    .action(options => demo({ ...options, cli: argv[1]! }))
  addStateCommands(feedmill)
  feedmill
    .command('serve')
    .description('Serve an emulated service on a loopback socket until it is stopped.')
    .option('--port <number>', 'port, 0 for any', wholeNumber, 0)
    .option('--items <count>', 'items ever listed in each category', wholeNumber, 50_000)
    .option('--seed <number>', 'which world', wholeNumber, 7)
    .option('--marketplace <id>', 'a marketplace; may be repeated; MKT_US by default', several)
    .option('--category <id>', 'a top-level category of each marketplace; may be repeated; 220 by default', several)
    .option('--now <time>', "the service's clock, e.g. 2026-03-01T12:00:00Z", time)
    .option('--sandbox', 'ranges of 10 MB in place of 100 MB', false)
    .addOption(
      new Option('--header-form <form>', 'how Content-range is written').choices(['documented', 'rfc9110', 'echo']).default('documented'),
    )
    .option('--faults <rate>', 'share of the answers to downloads that go wrong, 0 to 1', share)
    .option('--json', 'print one line of JSON, with all that a client needs', false)
    .action(serve)
  addProfileCommand(feedmill)
  return feedmill
}

function addStateCommands(feedmill: Command): void {
  const sync = feedmill
    .command('sync')
    .description('Keep a folder up to what the service has of some categories. A run that was stopped goes on where it was.')
    .requiredOption('--marketplace <id>', 'marketplace, e.g. MKT_US')
    .requiredOption('--category <id>', 'top-level category; may be repeated', several)
    .requiredOption('--state <dir>', 'the state folder')
    .option('--until <time>', 'no file that covers a later time: now, or e.g. 2026-03-01T12:00:00Z', nowOrTime)
    .option('--once', 'end when all that the service has is in the state (the default)')
    .addOption(new Option('--follow', 'go on with what comes').conflicts('once').default(false))
    .addOption(new Option('--memory <size>', 'memory to stay within').argParser(byteSize).default(MEMORY_BYTES, '256MiB'))
    .addOption(
      new Option('--keep-files <size>', 'fetched files to keep for each category, for export --as-of')
        .argParser(byteSize)
        .default(0, 'none'),
    )
    .option('--changes <file>', "append changes to this file, not to the folder's own")
    .option('--no-changes', 'tell no changes')
    .option('--json', 'print one event a line, and nothing else', false)
  for (const option of serviceOptions()) sync.addOption(option)
  sync.option('--now <time>', "the service's clock, where it stands still", time).action(syncCommand)
  feedmill
    .command('status')
    .description('How far a state folder is, what it lacks, and what it takes on the disk.')
    .argument('<dir>', 'the state folder')
    .option('--now <time>', "the service's clock, where it stands still", time)
    .option('--json', 'print one line of JSON', false)
    .action(statusCommand)
  feedmill
    .command('export')
    .description('Write the merged items of a state folder.')
    .requiredOption('--state <dir>', 'the state folder')
    .option('--category <id>', 'one of its categories; may be repeated; all by default', several, [])
    .option('--as-of <time>', 'the items of an earlier time, made again from the files that are kept', time)
    .option('--out <file>', 'where they go; standard output by default')
    .addOption(new Option('--format <format>', 'how they are written').choices(['ndjson', 'csv']).default('ndjson'))
    .action(exportCommand)
}

/** Of the commands that speak to a service. */
function serviceOptions(): Option[] {
  const { profile, baseUrl, tokenUrl, scopeBase, clientId, clientSecret } = SERVICE_VARIABLES
  return [
    new Option('--profile <file>', 'JSON with the options of a service profile').env(profile),
    new Option('--base-url <url>', 'address of the service').env(baseUrl),
    new Option('--token-url <url>', 'address that gives tokens').env(tokenUrl),
    new Option('--scope-base <url>', 'what scope names begin with').env(scopeBase),
    new Option('--client-id <id>', 'of the client credentials').env(clientId),
    new Option('--client-secret <secret>', 'of the client credentials; better from the environment').env(clientSecret),
    new Option('--sandbox', 'ranges of 10 MB in place of 100 MB'),
    new Option('--allow-http', 'plain http to other machines'),
  ]
}

/** What sync() takes by itself. */
const MEMORY_BYTES = 256 * 2 ** 20

function several(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}

function byteSize(text: string): number {
  const bytes = readByteSize(text)
  if (bytes === undefined) throw new InvalidArgumentError('not a size such as 256MB')
  return bytes
}

function nowOrTime(text: string): Date | 'now' {
  return text === 'now' ? text : time(text)
}

function wholeNumber(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new InvalidArgumentError('not a whole number')
  return value
}

function time(text: string): Date {
  const value = new Date(text)
  if (Number.isNaN(value.getTime())) throw new InvalidArgumentError('not a time')
  return value
}

function share(text: string): number {
  const value = Number(text)
  if (!(value >= 0 && value <= 1)) throw new InvalidArgumentError('not a number from 0 to 1')
  return value
}
