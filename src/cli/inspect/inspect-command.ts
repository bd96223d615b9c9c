// The options of `feedmill inspect`.

import { type Command, feedFileOptions, wholeNumber } from '../command-options'
import type { InspectCommandOptions } from './inspect'

export function addInspectCommand(feedmill: Command): Command {
  const command = feedmill.command('inspect')
  for (const option of feedFileOptions('as its column names say')) command.addOption(option)
  return command
    .description(
      'Show what is in a feed file: gzip, header, columns, bad rows, a sample. ' +
        'The command reads the file once.',
    )
    .argument('<file>', 'a feed file, gzip or plain; an http or https URL; - for standard input')
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
