// The options of `feedmill profile`.

import { type Command, InvalidArgumentError, wholeNumberOf } from '../command-options'
import type { ProfileOptions } from './profile'
import type { CellReading } from './profile-cells'

const FEEDS = ['item', 'item_group', 'item_snapshot', 'item_priority']

export function addProfileCommand(feedmill: Command): Command {
  const command = feedmill.command('profile')
  const option = (flags: string, description: string) => command.createOption(flags, description)
  return command
    .description(
      'Run a file of your own through the stages several times, and show where the time goes.',
    )
    .argument('<file>', 'a feed file: gzip, or plain TSV')
    .addOption(option('--feed <name>', 'the feed of the file').choices(FEEDS).default('item'))
    .addOption(
      option(
        '--schema <file>',
        'a schema of your own: a module that exports it, or JSON',
      ).conflicts('feed'),
    )
    .addOption(
      option('--read <cells>', 'what to read of each row: a number of cells, `objects`, or `typed`')
        .argParser(reading)
        .default(5),
    )
    .addOption(
      option('--rounds <count>', 'runs, each in a fresh process')
        .argParser(wholeNumberOf(1, 9_999))
        .default(5),
    )
    .option('--json', 'print one JSON object instead of the table')
    .option(
      '--baseline <file>',
      'compare with a saved result; exit code 1 when the file has become slower',
    )
    .option('--save <file>', 'save the result as a baseline, unless the file has become slower')
    .addOption(
      option('--tolerance <percent>', 'accepted loss of speed').argParser(share).default(0.1, '10'),
    )
    .action(async (file: string, options: ProfileOptions) =>
      (await import('./profile')).profile(file, options),
    )
}

function reading(text: string): CellReading {
  if (text === 'objects' || text === 'typed') return text
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('not a number of cells, objects or typed')
}

function share(percent: string): number {
  if (/^\d{1,2}(\.\d+)?$/.test(percent)) return Number(percent) / 100
  throw new InvalidArgumentError('not a number of percent below 100')
}
