// The options of `feedmill convert`.

import {
  BAD_ROWS_OPTION,
  type Command,
  FEED_FILE_OPTIONS,
  feedOption,
  names,
  option,
  type Values,
} from '../command-options'
import { FORMATS, OUTPUT_FORMS } from './output-form'

const OPTIONS = [
  feedOption('none: each column of the file, as text'),
  ...FEED_FILE_OPTIONS,
  option('--infer', 'read the file twice: its cells say which types its columns have', {
    conflicts: ['feed', 'schema'],
    default: false,
  }),
  option('--columns <names>', 'the columns to write, between commas; by default all', {
    read: names,
  }),
  option('--format <format>', 'the format of a file whose name does not say it, and of `-`', {
    choices: FORMATS,
  }),
  option('--table <name>', 'the table of a database; by default the name of the file'),
  option('--mode <mode>', 'what happens to a table that is there', {
    choices: ['create', 'replace', 'append'],
    default: 'create',
  }),
  BAD_ROWS_OPTION,
  option('--bad-cells <policy>', 'a cell that is not of its type fails the command, or is empty', {
    choices: ['fail', 'null'],
    default: 'fail',
  }),
  option(
    '--quarantine <file>',
    'put rows that cannot be read, or have a bad cell, into this file with all of their bytes',
    { conflicts: ['badRows', 'badCells'] },
  ),
] as const
export type ConvertCommand = Values<typeof OPTIONS>

export function addConvertCommand(feedmill: Command): void {
  feedmill
    .command('convert')
    .description(
      'Write a feed file in another format, or into a table. What is written appears as a whole ' +
        'at the end; a failure leaves everything as it was.',
    )
    .argument(
      '<in>',
      'a file, compressed or plain; an http or https URL; s3://bucket/key; - for standard input',
    )
    .argument(
      '<out>',
      `a file, s3://bucket/key or a database: ${OUTPUT_FORMS}; - for standard output`,
    )
    .addOptions(OPTIONS)
    .examples(
      'convert items.tsv.gz items.parquet --feed item',
      'convert stock.csv stock.duckdb --schema stock.json --table stock',
      'convert stock.csv.zip stock.parquet --infer',
      'convert https://shop.example/stock.csv.gz - --format ndjson',
      'convert stock.csv s3://shop/stock.ndjson.gz',
    )
    .action(async (from, to, options) =>
      (await import('./convert')).convertCommand(from, to, options),
    )
}
