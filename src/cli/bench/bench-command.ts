// The options of `feedmill bench`.

import { BENCH_FORMATS, MEASURE_NAMES, type MeasureName } from '../../bench/index'
import {
  type Command,
  FEED_FILE_OPTIONS,
  feedOption,
  InvalidArgumentError,
  option,
  type Values,
  wholeNumberOf,
} from '../command-options'

/**
 * What is read of each row: the given number of first cells as text, all cells as an object of
 * strings, or all cells decoded.
 */
export type CellReading = number | 'objects' | 'typed'

const OPTIONS = [
  feedOption('item'),
  ...FEED_FILE_OPTIONS,
  option('--file <file>', 'a feed file, gzip or plain, that goes through the stages', {
    conflicts: ['base'],
  }),
  option(
    '--read <cells>',
    'what is read of each row of the file: a number of cells, `objects`, or `typed`',
    { read: reading, default: 5 },
  ),
  option('--save <file>', 'save the report, for --baseline', { conflicts: ['baseline', 'base'] }),
  option('--baseline <file>', 'compare with a report that was saved on this machine', {
    conflicts: ['base'],
  }),
  option('--base <ref>', 'compare with a commit of the repository, in interleaved runs'),
  option('--against <ref>', 'with --base, compare with a stated commit as well, such as a release'),
  option('--build <command>', 'with --base, the command that builds each commit'),
  option('--rounds <count>', 'runs of each benchmark and side', {
    read: wholeNumberOf(1, 9_999),
    default: 18,
  }),
  option('--only <names>', 'the benchmarks to run, separated by commas; all by default', {
    read: listed,
  }),
  option(
    '--measures <names>',
    `the measures to compare, separated by commas: ${MEASURE_NAMES.join(', ')}`,
    {
      // The engine checks the names.
      read: text => listed(text) as MeasureName[],
      default: MEASURE_NAMES,
    },
  ),
  option('--append <file>', 'add a line of figures for each benchmark to a history in CSV'),
  option('--json <file>', 'also write the whole report as JSON; `-` is standard output'),
  option('--format <format>', 'what is printed', { choices: BENCH_FORMATS, default: 'table' }),
  option('--out <file>', 'write what --format makes to a file instead of printing it'),
] as const
export type BenchCommand = Values<typeof OPTIONS>

export function addBenchCommand(feedmill: Command): void {
  feedmill
    .command('bench')
    .description(
      'Measure benchmarks or a feed file of your own in fresh processes, and tell a slower version from noise. ' +
        'Exit code 1 means a proven regression, and every other failure is 2.',
    )
    .argument('[modules...]', 'modules that export what `defineBench` returns')
    .addOptions(OPTIONS)
    .examples(
      'bench --file items.tsv.gz --read typed',
      'bench my.bench.mjs',
      "bench my.bench.mjs --base main --build 'npm ci'",
    )
    .action(async (modules, options) => (await import('./bench')).benchCommand(modules, options))
}

function reading(text: string): CellReading {
  if (text === 'objects' || text === 'typed') return text
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('not a number of cells, objects or typed')
}

function listed(text: string): string[] {
  return text.split(',')
}
