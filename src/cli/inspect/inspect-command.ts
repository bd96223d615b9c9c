// The options of `feedmill inspect`.

import {
  type Command,
  FEED_FILE_OPTIONS,
  feedOption,
  jsonOption,
  option,
  type Values,
  wholeNumber,
} from '../command-options'

const OPTIONS = [
  feedOption('as its column names say'),
  ...FEED_FILE_OPTIONS,
  option('--sample <rows>', 'rows to show', { read: wholeNumber, default: 3 }),
  jsonOption('print the report as JSON'),
  option(
    '--against <report>',
    'compare with an earlier report, a file that --json has made; ' +
      'exit code 1 where a consumer would feel the difference',
  ),
  option('--html <file>', 'write the report as an HTML page too, with plots'),
  option(
    '--write-schema <file>',
    'find the kinds of the columns by all their cells, and write them as JSON for --schema',
    { conflicts: ['feed', 'schema'] },
  ),
  option('--types', 'print that schema as TypeScript, in place of the report', {
    default: false,
    conflicts: ['feed', 'schema', 'json'],
  }),
] as const
export type InspectCommand = Values<typeof OPTIONS>

export function addInspectCommand(feedmill: Command): void {
  feedmill
    .command('inspect')
    .description(
      'Show what is in a feed file: gzip, header, columns, bad rows, a sample. ' +
        'The command reads the file once.',
    )
    .argument(
      '<file>',
      'a feed file, plain or compressed by gzip, Zstandard or ZIP; an http or https URL; s3://bucket/key; - for standard input',
    )
    .addOptions(OPTIONS)
    .examples(
      'inspect items.tsv.gz --html report.html',
      'inspect today.tsv.gz --json > today.json',
      'inspect tomorrow.tsv.gz --against today.json',
      'inspect stock.csv --write-schema stock.json',
    )
    .action(async (file, options) => (await import('./inspect')).inspectCommand(file, options))
}
