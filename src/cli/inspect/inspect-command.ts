// The options of `feedmill inspect`.

import type { Command } from '../command-options'
import { wholeNumber } from '../command-options'
import type { InspectCommandOptions } from './inspect'

const FEEDS = ['item', 'item_group', 'item_snapshot', 'item_priority']

export function addInspectCommand(feedmill: Command): Command {
  const command = feedmill.command('inspect')
  const option = (flags: string, description: string) => command.createOption(flags, description)
  return command
    .description(
      'Show what is in a feed file: gzip, header, columns, bad rows, a sample. ' +
        'The command reads the file once.',
    )
    .argument('<file>', 'a feed file, gzip or plain; an http or https URL; - for standard input')
    .addOption(
      option('--feed <name>', 'the feed of the file; by default as its column names say').choices(
        FEEDS,
      ),
    )
    .addOption(
      option(
        '--schema <file>',
        'a schema of your own: a module that exports it, or JSON',
      ).conflicts('feed'),
    )
    .option('--delimiter <character>', 'what stands between two cells; a tab by default')
    .addOption(
      option(
        '--quoting <form>',
        'how quotes are escaped in quoted cells; by backslash by default',
      ).choices(['backslash', 'doubled', 'none']),
    )
    .option('--sample <rows>', 'rows to show', wholeNumber, 3)
    .option('--json', 'print the report as JSON', false)
    .option(
      '--against <report>',
      'compare with an earlier report, a file that --json has made; ' +
        'exit code 1 where a consumer would feel the difference',
    )
    .option('--html <file>', 'write the report as an HTML page too, with plots')
    .action(async (file: string, options: InspectCommandOptions) =>
      (await import('./inspect')).inspectCommand(file, options),
    )
}
