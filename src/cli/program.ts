// The commands and their options; commander's adapter. What a command does stands in its own file.

import { Command, InvalidArgumentError, Option } from 'commander'
import { demo } from './demo'
import { addProfileCommand } from './profile-command'
import { serve } from './serve'

export function program(argv: readonly string[]): Command {
  const feedmill = new Command('feedmill').description('Stream processing for marketplace feed files.')
  feedmill
    .command('demo')
    .description('Ingest one category from an emulated service over a loopback socket, and prove the result right.')
    .option('--items <count>', 'items ever listed in the category', wholeNumber, 20_000)
    .option('--seed <number>', 'which world', wholeNumber, 7)
    .option('--chunk-bytes <bytes>', 'size of one byte range', wholeNumber, 1 << 20)
    .option('--out <file>', 'where the merged items go', 'feedmill-demo.ndjson')
    .option('--stream-only', 'the bootstrap file alone: no join, no merge, constant memory', false)
    .option('--json', 'print one JSON object and nothing else', false)
    .action(options => demo({ ...options, cli: argv[1]! }))
  feedmill
    .command('serve')
    .description('Serve an emulated service on a loopback socket until it is stopped.')
    .option('--port <number>', 'port, 0 for any', wholeNumber, 0)
    .option('--items <count>', 'items ever listed in each category', wholeNumber, 50_000)
    .option('--seed <number>', 'which world', wholeNumber, 7)
    .option('--now <time>', "the service's clock, e.g. 2026-03-01T12:00:00Z", time)
    .option('--sandbox', 'ranges of 10 MB in place of 100 MB', false)
    .addOption(
      new Option('--header-form <form>', 'how Content-range is written').choices(['documented', 'rfc9110', 'echo']).default('documented'),
    )
    .option('--faults <rate>', 'share of the answers to downloads that go wrong, 0 to 1', share)
    .option('--json', 'print one line of JSON', false)
    .action(serve)
  addProfileCommand(feedmill)
  return feedmill
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
