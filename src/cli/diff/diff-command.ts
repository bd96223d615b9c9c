// The options of `feedmill diff`.

import {
  BAD_ROWS_OPTION,
  type Command,
  FEED_FILE_OPTIONS,
  feedOption,
  jsonOption,
  names,
  option,
  type Values,
} from '../command-options'
import { STATE_CATEGORY_OPTION } from '../sync/state-commands'

const OPTIONS = [
  option('--key <names>', 'the columns that together name a row, between commas', {
    read: names,
    default: ['itemId'],
    defaultText: 'itemId',
  }),
  feedOption('none: cells are compared as text'),
  ...FEED_FILE_OPTIONS,
  STATE_CATEGORY_OPTION,
  BAD_ROWS_OPTION,
  jsonOption('print one difference a line, as JSON'),
] as const
export type DiffCommand = Values<typeof OPTIONS>

export function addDiffCommand(feedmill: Command): void {
  const place =
    'a file, compressed or plain; an http or https URL; s3://bucket/key; a state folder; or - once'
  feedmill
    .command('diff')
    .description(
      'Show the rows that were inserted, deleted and updated between two feed files or state ' +
        'folders, with the cells that differ; exit code 1 where there are any.',
    )
    .argument('<before>', place)
    .argument('<after>', place)
    .addOptions(OPTIONS)
    .examples(
      'diff yesterday.csv.gz today.csv.gz --key sku',
      'diff yesterday.tsv.gz today.tsv.gz --feed item --json',
      'diff ./backup ./state --category 220',
    )
    .action(async (before, after, options) =>
      (await import('./diff')).diffCommand(before, after, options),
    )
}
