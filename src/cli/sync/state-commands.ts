// The options of the commands over a state folder or a database: `feedmill sync`, `status`,
// `replay` and `export`.

import {
  byteSize,
  type Command,
  clockOption,
  examples,
  InvalidArgumentError,
  nowOrTime,
  Option,
  serviceOptions,
  several,
  share,
  table,
  time,
} from '../command-options'
import { PROXY_VARIABLES } from '../environment-proxy'
import { needPackages } from '../needed-packages'
import { queueOptions } from '../queue/queue-commands'
import { CREDENTIAL_VARIABLES } from '../service-settings'
import { TARGET_FORMS, targetPlace } from './target-option'

/** The default memory of sync(). */
const MEMORY_BYTES = 256 * 2 ** 20

export function addStateCommands(feedmill: Command): void {
  const sync = feedmill
    .command('sync')
    .description(
      'Bring a state folder up to date with the service. ' +
        'A stopped run continues from where it stopped.',
    )
    .requiredOption('--marketplace <id>', 'marketplace, e.g. MKT_US')
    .requiredOption('--category <id>', 'top-level category; may be repeated', several)
    .option('--state <dir>', 'the state folder')
    .addOption(toOption().conflicts(['state', 'keepFiles', 'changes', 'keepChanges']))
    .option(
      '--until <time>',
      'leave out files that cover a later time: `now`, or e.g. 2026-03-01T12:00:00Z',
      nowOrTime,
    )
    .option('--once', 'end when the state has all files of the service (the default)')
    .addOption(
      new Option('--follow', 'continue with new files, until a signal')
        .conflicts('once')
        .default(false),
    )
    .addOption(
      new Option(
        '--memory <size>',
        'memory for all categories together; with a DuckDB file, 480MiB at least',
      )
        .argParser(byteSize)
        .default(MEMORY_BYTES, '256MiB'),
    )
    .addOption(
      new Option(
        '--keep-files <size>',
        'fetched files to keep for each category, for export --as-of',
      )
        .argParser(byteSize)
        .default(0, 'none'),
    )
    .option(
      '--max-removed-share <share>',
      'refuse a bootstrap that would remove a larger share of the rows, ' +
        'unless the service says that there is no content',
      share,
      0.5,
    )
    .option(
      '--changes [file]',
      'record changes in the `changes` folder of the state, or append them to this file; ' +
        'only one run at a time may use it; after a kill or a full disk, the next run ' +
        'cuts off an incomplete last line and writes its change again; ' +
        'the first files of all items and groups are no changes',
    )
    .option('--no-changes', 'record no changes (the default)')
    .addOption(
      new Option('--keep-changes <size>', 'change logs of the folder to keep for each category')
        .argParser(byteSize)
        .default(2 ** 30, '1GiB'),
    )
    .addOption(changesFormat())
    .option(
      '--quarantine',
      'keep rows that cannot be merged, or have cells that are not of their type, with all of their bytes, in the `quarantine` folder of the state',
      false,
    )
    .option('--json', 'print one event a line, as JSON', false)
  for (const option of [...serviceOptions(), clockOption()]) sync.addOption(option)
  sync
    .addHelpText(
      'after',
      examples(
        'sync --marketplace MKT_US --category 220 --state ./state',
        'sync --marketplace MKT_US --category 220 --to items.duckdb',
        'sync … --follow --memory 1GB',
      ),
    )
    .addHelpText('after', table('Credentials', CREDENTIAL_VARIABLES))
    .addHelpText('after', table('Proxy and certificates', PROXY_VARIABLES))
    .action(async options => {
      needPlace(sync, options.state, options.to)
      if (options.to === undefined) needPackages('sync')
      await (await import('./sync')).syncCommand(options)
    })
  const status = feedmill
    .command('status')
    .description(
      'Show the progress of a state folder, the files that it lacks, and its size on the disk; ' +
        'or the categories, jobs and workers of a queue.',
    )
    .argument('[dir]', 'the state folder')
    .addOption(toOption())
    .addOption(clockOption())
    .option('--json', 'print one line of JSON', false)
  for (const option of queueOptions()) status.addOption(option)
  status
    .addHelpText(
      'after',
      examples('status ./state', 'status --to items.duckdb', 'status --queue redis://host'),
    )
    .action(async (folder, options) => {
      if (options.queue !== undefined) {
        if (folder !== undefined || options.to !== undefined)
          status.error('error: give either --queue <url> or a place of rows')
        needPackages('status --queue')
        return (await import('../queue/queue-status')).queueStatusCommand(options)
      }
      needPlace(status, folder, options.to)
      if (options.to === undefined) needPackages('status')
      await (await import('./status')).statusCommand(folder, options)
    })
  feedmill
    .command('replay')
    .description('Put the mended rows of quarantines back into their state folder, or write them.')
    .argument('<file...>', 'the quarantines, whose records have the mended rows as text')
    .option('--state <dir>', 'the state folder that the quarantines came from')
    .addOption(
      new Option('--out <file>', 'write the rows as JSON lines with text instead').conflicts(
        'state',
      ),
    )
    .addOption(
      new Option(
        '--changes <file>',
        'append the changes of the state to this file instead of a log in its `changes` folder',
      ).conflicts('out'),
    )
    .addOption(changesFormat())
    .option('--json', 'print one line of JSON', false)
    .addHelpText('after', examples('replay ./state/quarantine/*.ndjson --state ./state'))
    .action(async (files, options) => {
      if (options.state === undefined && options.out === undefined)
        throw new InvalidArgumentError('replay needs --state <dir> or --out <file>')
      needPackages('replay')
      await (await import('./replay')).replayCommand(files, options)
    })
  feedmill
    .command('export')
    .description('Write the merged items of a state folder.')
    .requiredOption('--state <dir>', 'the state folder')
    .option(
      '--category <id>',
      'a category of the folder; may be repeated; all by default',
      several,
      [],
    )
    .option(
      '--as-of <time>',
      'write the items of an earlier time, restored from the kept files',
      time,
    )
    .option(
      '--schema <file>',
      'a schema of your own, a module that exports it, or JSON: ' +
        'write its columns, typed by it, and no others',
    )
    .option('--out <file>', 'the file to write; standard output by default')
    .option('--gzip', 'compress the output, which `--out FILE.gz` does too')
    .addOption(
      new Option('--format <format>', 'how items are written')
        .choices(['ndjson', 'csv'])
        .default('ndjson'),
    )
    .addOption(
      new Option('--json', 'the same as `--format ndjson`; a failure is JSON too').conflicts(
        'format',
      ),
    )
    .addHelpText(
      'after',
      examples(
        'export --state ./state --out items.ndjson',
        'export --state ./state --as-of 2026-03-01T12:00:00Z',
        'export --state ./state --schema prices.json --format csv',
      ),
    )
    .action(async options => {
      needPackages('export')
      await (await import('./export')).exportCommand(options)
    })
}

function changesFormat(): Option {
  return new Option('--changes-format <format>', 'the lines of the file of --changes')
    .choices(['plain', 'debezium'])
    .default('plain')
}

function toOption(): Option {
  return new Option(
    '--to <place>',
    `a database in place of a state folder: ${TARGET_FORMS}; passwords are in the environment`,
  ).argParser(place => {
    try {
      return targetPlace(place)
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message)
    }
  })
}

/** A command over a synchronisation has one place: a state folder or a database. */
function needPlace(command: Command, folder: string | undefined, to: string | undefined): void {
  if ((folder === undefined) === (to === undefined))
    command.error('error: give either a state folder or --to <place>')
}
