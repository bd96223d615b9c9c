// The options of `feedmill bench`.

import { BENCH_FORMATS, type BenchFormat, MEASURES } from '../../bench/index'
import {
  type Command,
  feedFileOptions,
  InvalidArgumentError,
  wholeNumberOf,
} from '../command-options'
import type { BenchCommand } from './bench'
import type { CellReading } from './feed-file'

export function addBenchCommand(feedmill: Command): Command {
  const command = feedmill.command('bench')
  const option = (flags: string, description: string) => command.createOption(flags, description)
  for (const each of feedFileOptions('item')) command.addOption(each)
  const measures = MEASURES.map(({ name }) => name)
  return command
    .description(
      'Measure benchmarks or a feed file of your own in fresh processes, and tell a slower version from noise. ' +
        'Exit code 1 means a proven regression, and every other failure is 2.',
    )
    .argument('[modules...]', 'modules that export what `defineBench` returns')
    .addOption(
      option('--file <file>', 'a feed file, gzip or plain, that goes through the stages').conflicts(
        'base',
      ),
    )
    .addOption(
      option(
        '--read <cells>',
        'what is read of each row of the file: a number of cells, `objects`, or `typed`',
      )
        .argParser(reading)
        .default(5),
    )
    .addOption(
      option('--save <file>', 'save the report, for --baseline').conflicts(['baseline', 'base']),
    )
    .addOption(
      option('--baseline <file>', 'compare with a report that was saved on this machine').conflicts(
        'base',
      ),
    )
    .option('--base <ref>', 'compare with a commit of the repository, in interleaved runs')
    .option('--build <command>', 'with --base, the command that builds the commit')
    .addOption(
      option('--rounds <count>', 'runs of each benchmark and side')
        .argParser(wholeNumberOf(1, 9_999))
        .default(18),
    )
    .option('--only <names>', 'the benchmarks to run, separated by commas; all by default', list)
    .option(
      '--measures <names>',
      `the measures to compare, separated by commas: ${measures.join(', ')}`,
      list,
      measures,
    )
    .option('--json <file>', 'also write the whole report as JSON; `-` is standard output')
    .addOption(
      option('--format <format>', 'what is printed').choices(BENCH_FORMATS).default('table'),
    )
    .option('--out <file>', 'write what --format makes to a file instead of printing it')
    .action(async (modules: string[], options: BenchCommand & { format: BenchFormat }) =>
      (await import('./bench')).benchCommand(modules, options),
    )
}

function reading(text: string): CellReading {
  if (text === 'objects' || text === 'typed') return text
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('not a number of cells, objects or typed')
}

function list(text: string): string[] {
  return text.split(',')
}
