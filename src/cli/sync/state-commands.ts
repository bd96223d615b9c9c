// The options of the commands over a state folder or a database: `feedmill sync`, `status`,
// `replay` and `export`.

import {
  byteSize,
  CLOCK_OPTION,
  type Command,
  InvalidArgumentError,
  jsonOption,
  nowOrTime,
  option,
  several,
  share,
  time,
  type Values,
  wholeNumberOf,
} from '../command-options'
import { PROXY_VARIABLES } from '../environment-proxy'
import { needPackages } from '../needed-packages'
import { CATEGORY_OPTIONS, needCategories, SOURCE } from '../queue/queue-commands'
import { QUEUE_PLACE_OPTIONS } from '../queue/queue-setting'
import { CREDENTIAL_VARIABLES, SERVICE_OPTIONS } from '../service-settings'
import { TARGET_FORMS, targetPlace } from './target-option'

const DATABASE = `a database in place of a state folder: ${TARGET_FORMS}; passwords are in the environment`

const CHANGES_FORMAT_OPTION = option(
  '--changes-format <format>',
  'the lines of the file of --changes',
  { choices: ['plain', 'debezium'], default: 'plain' },
)

const SYNC_OPTIONS = [
  ...CATEGORY_OPTIONS,
  option(...SOURCE, { conflicts: ['marketplace', 'category', 'until', 'now'] }),
  option('--state <dir>', 'the state folder'),
  option('--to <place>', DATABASE, {
    read: place,
    conflicts: ['state', 'keepFiles', 'changes', 'keepChanges'],
  }),
  option(
    '--until <time>',
    'leave out files that cover a later time: `now`, or with its zone, e.g. 2026-03-01T12:00:00Z',
    { read: nowOrTime },
  ),
  option('--follow', 'continue with new files, until a signal', { default: false }),
  option(
    '--memory <size>',
    'memory for all categories together; with a DuckDB file, 480MiB at least',
    { read: byteSize, default: 256 * 2 ** 20, defaultText: '256MiB' },
  ),
  option('--keep-files <size>', 'fetched files to keep for each category, for export --as-of', {
    read: byteSize,
    default: 0,
    defaultText: 'none',
  }),
  option(
    '--max-removed-share <share>',
    'refuse a bootstrap that would remove a larger share of the rows, ' +
      'unless the service says that there is no content',
    { read: share, default: 0.5 },
  ),
  option(
    '--changes [file]',
    'record changes in the `changes` folder of the state, or append them to this file; ' +
      'only one run at a time may use it; after a kill or a full disk, the next run ' +
      'cuts off an incomplete last line and writes its change again; ' +
      'the first files of all items and groups are no changes',
  ),
  option('--keep-changes <size>', 'change logs of the folder to keep for each category', {
    read: byteSize,
    default: 2 ** 30,
    defaultText: '1GiB',
  }),
  CHANGES_FORMAT_OPTION,
  option(
    '--quarantine',
    'keep rows that cannot be merged, or have cells that are not of their type, ' +
      'with all of their bytes, in the `quarantine` folder of the state',
    { default: false },
  ),
  jsonOption('print one event a line, as JSON'),
  ...SERVICE_OPTIONS,
  CLOCK_OPTION,
] as const
export type SyncCommand = Values<typeof SYNC_OPTIONS>

const STATUS_OPTIONS = [
  option('--to <place>', DATABASE, { read: place }),
  CLOCK_OPTION,
  jsonOption('print one line of JSON'),
] as const
export type StatusCommand = Values<typeof STATUS_OPTIONS>

const REPLAY_OPTIONS = [
  option('--state <dir>', 'the state folder that the quarantines came from'),
  option(...SOURCE, { conflicts: ['out'] }),
  option('--out <file>', 'write the rows as JSON lines with text instead', {
    conflicts: ['state'],
  }),
  option(
    '--changes <file>',
    'append the changes of the state to this file instead of a log in its `changes` folder',
    { conflicts: ['out'] },
  ),
  CHANGES_FORMAT_OPTION,
  jsonOption('print one line of JSON'),
] as const
export type ReplayCommand = Values<typeof REPLAY_OPTIONS>

export const STATE_CATEGORY_OPTION = option(
  '--category <id>',
  'a category of the folder; may be repeated; all by default',
  { read: several, default: [] },
)

const EXPORT_OPTIONS = [
  option('--state <dir>', 'the state folder', { required: true }),
  option(...SOURCE, { conflicts: ['category', 'schema'] }),
  STATE_CATEGORY_OPTION,
  option(
    '--as-of <time>',
    'write the items of an earlier time with its zone, e.g. 2026-03-01T12:00:00Z, ' +
      'restored from the kept files',
    { read: time },
  ),
  option(
    '--schema <file>',
    'a schema of your own, a module that exports it, or JSON: ' +
      'write its columns, typed by it, and no others',
  ),
  option('--out <file>', 'the file to write, or s3://bucket/key; standard output by default'),
  option(
    '--shard-rows <n>',
    'make --out a folder with files of at most so many rows, and a manifest of them',
    { read: wholeNumberOf(1, Number.MAX_SAFE_INTEGER) },
  ),
  option('--gzip', 'compress the output, which `--out FILE.gz` does too'),
  option('--format <format>', 'how items are written', {
    choices: ['ndjson', 'csv', 'parquet', 'arrow'],
    default: 'ndjson',
  }),
] as const
export type ExportCommand = Values<typeof EXPORT_OPTIONS>

export function addStateCommands(feedmill: Command): void {
  const sync = feedmill
    .command('sync')
    .description(
      'Bring a state folder up to date with the service, or with a feed of your own. ' +
        'A stopped run continues from where it stopped.',
    )
    .addOptions(SYNC_OPTIONS)
    .examples(
      'sync --marketplace MKT_US --category 220 --state ./state',
      'sync --marketplace MKT_US --category 220 --to items.duckdb',
      'sync --source feed.json --state ./state',
      'sync … --follow --memory 1GB',
    )
    .table('Credentials', CREDENTIAL_VARIABLES)
    .table('Proxy and certificates', PROXY_VARIABLES)
    .action(async (options: SyncCommand) => {
      needPlace(sync, options.state, options.to)
      needCategories(sync, options)
      await (await import('./sync')).syncCommand(options)
    })
  const status = feedmill
    .command('status')
    .description(
      'Show the progress of a state folder, the files that it lacks, and its size on the disk; ' +
        'or the categories, jobs and workers of a queue.',
    )
    .argument('[dir]', 'the state folder')
    .addOptions([...STATUS_OPTIONS, ...QUEUE_PLACE_OPTIONS])
    .examples('status ./state', 'status --to items.duckdb', 'status --queue redis://host')
    .action(async (folder, options) => {
      if (options.queue !== undefined) {
        if (folder !== undefined || options.to !== undefined)
          status.error('error: give either --queue <url> or a place of rows')
        needPackages('status --queue')
        return (await import('../queue/queue-status')).queueStatusCommand(options)
      }
      needPlace(status, folder, options.to)
      await (await import('./status')).statusCommand(folder, options)
    })
  feedmill
    .command('replay')
    .description('Put the mended rows of quarantines back into their state folder, or write them.')
    .argument('<file...>', 'the quarantines, whose records have the mended rows as text')
    .addOptions(REPLAY_OPTIONS)
    .examples('replay ./state/quarantine/*.ndjson --state ./state')
    .action(async (files, options: ReplayCommand) => {
      if (options.state === undefined && options.out === undefined)
        throw new InvalidArgumentError('replay needs --state <dir> or --out <file>')
      await (await import('./replay')).replayCommand(files, options)
    })
  feedmill
    .command('export')
    .description('Write the merged items, or the rows of a feed of your own, of a state folder.')
    .addOptions(EXPORT_OPTIONS)
    .addOption(
      option('--json', 'the same as `--format ndjson`; a failure is JSON too', {
        conflicts: ['format'],
      }),
    )
    .examples(
      'export --state ./state --out items.ndjson',
      'export --state ./state --as-of 2026-03-01T12:00:00Z',
      'export --state ./state --schema prices.json --format csv',
      'export --state ./state --source feed.json --format csv',
      'export --state ./state --out items.parquet --format parquet',
      'export --state ./state --out ./items --shard-rows 1000000 --format parquet',
    )
    .action(async options => (await import('./export')).exportCommand(options))
}

function place(text: string): string {
  try {
    return targetPlace(text)
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
}

/** A command over a synchronisation has one place: a state folder or a database. */
function needPlace(command: Command, folder: string | undefined, to: string | undefined): void {
  if ((folder === undefined) === (to === undefined))
    command.error('error: give either a state folder or --to <place>')
}
