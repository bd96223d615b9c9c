// The commands, their options and their help. Each command has a file of its own, which is loaded
// when the command runs, so that the help and the commands without optional packages work in a plain
// install.

import { version } from '../../package.json'
import { addBenchCommand } from './bench/bench-command'
import {
  byteSize,
  Command,
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
  wholeNumber,
} from './command-options'
import { addCompletionCommand } from './completion/completion-command'
import { PROXY_VARIABLES } from './environment-proxy'
import { EXIT_CODES } from './exit-code'
import { addInspectCommand } from './inspect/inspect-command'
import { needPackages } from './needed-packages'
import { print } from './output'
import { addProfileCommand } from './profile/profile-command'
import { addQueueCommands, queueOptions } from './queue/queue-commands'
import { addServiceCommands } from './service/service-commands'
import { CREDENTIAL_VARIABLES } from './service-settings'
import { TARGET_FORMS, targetPlace } from './sync/target-option'
import { addVerifyCommand } from './verify/verify-command'

/**
 * Parsing fails with a CommanderError for wrong usage, help and version, and with the error of the
 * command.
 */
export function program(argv: readonly string[]): Command {
  const feedmill = new Command('feedmill')
    .description(
      'Stream processing for marketplace feed files: keep a copy, write it out, measure, ' +
        'try it on an emulated service.',
    )
    .version(version, '--version', 'print the version')
    .helpOption('--help', 'print this help')
    .helpCommand(false)
    .configureOutput({ writeOut: text => void print(text.replace(/\n$/, '')) })
    .exitOverride()
  addStateCommands(feedmill)
  addQueueCommands(feedmill)
  addProfileCommand(feedmill).addHelpText(
    'after',
    examples('profile items.tsv.gz --read typed', 'profile items.tsv.gz --save baseline.json'),
  )
  addInspectCommand(feedmill).addHelpText(
    'after',
    examples(
      'inspect items.tsv.gz --html report.html',
      'inspect today.tsv.gz --json > today.json',
      'inspect tomorrow.tsv.gz --against today.json',
    ),
  )
  addServiceCommands(feedmill)
  addBenchCommand(feedmill).addHelpText(
    'after',
    examples('bench my.bench.mjs', "bench my.bench.mjs --base main --build 'npm ci'"),
  )
  addEmulatorCommands(feedmill, argv[1]!)
  addCompletionCommand(feedmill)
  addVerifyCommand(feedmill).addHelpText(
    'after',
    examples('verify -- python3 ingest.py', 'verify --output items.csv --fault quotes -- ./ingest'),
  )
  feedmill.addHelpText(
    'after',
    `\nEvery command has its own help: feedmill sync --help\n${table('Exit codes', EXIT_CODES)}`,
  )
  return feedmill
}

function addStateCommands(feedmill: Command): void {
  const sync = feedmill
    .command('sync')
    .description(
      'Bring a state folder up to date with the service. ' +
        'A stopped run continues from where it stopped.',
    )
    .requiredOption('--marketplace <id>', 'marketplace, e.g. MKT_US')
    .requiredOption('--category <id>', 'top-level category; may be repeated', several)
    .option('--state <dir>', 'the state folder')
    .addOption(toOption().conflicts(['state', 'keepFiles', 'changes']))
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
      new Option('--memory <size>', 'memory for all categories together')
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
      '--changes <file>',
      'append changes to this file instead of the `changes` folder of the state; ' +
        'only one run at a time may use it; after a kill or a full disk, the next run ' +
        'cuts off an incomplete last line and writes its change again',
    )
    .option('--no-changes', 'record no changes')
    .addOption(changesFormat())
    .option(
      '--quarantine',
      'keep rows that cannot be merged, with all of their bytes, in the `quarantine` folder of the state',
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
      await (await import('./sync/sync')).syncCommand(options)
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
        return (await import('./queue/queue-status')).queueStatusCommand(options)
      }
      needPlace(status, folder, options.to)
      if (options.to === undefined) needPackages('status')
      await (await import('./sync/status')).statusCommand(folder, options)
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
      await (await import('./sync/replay')).replayCommand(files, options)
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
      await (await import('./sync/export')).exportCommand(options)
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

function addEmulatorCommands(feedmill: Command, cli: string): void {
  feedmill
    .command('serve')
    .description('Serve an emulated service on a loopback socket until a signal comes.')
    .option('--port <number>', 'port, 0 for any', wholeNumber, 0)
    .option('--items <count>', 'items ever listed in each category', wholeNumber, 50_000)
    .option('--seed <number>', 'seed of the world: equal numbers make equal files', wholeNumber, 7)
    .option('--marketplace <id>', 'a marketplace; may be repeated; MKT_US by default', several)
    .option(
      '--category <id>',
      'a top-level category of each marketplace; may be repeated; 220 by default',
      several,
    )
    .option(
      '--now <time>',
      "the service's clock, which then stands still, e.g. 2026-03-01T12:00:00Z",
      time,
    )
    .option('--sandbox', 'limit ranges to 10 MB instead of 100 MB', false)
    .addOption(
      new Option('--header-form <form>', 'form of Content-range')
        .choices(['documented', 'rfc9110', 'echo'])
        .default('documented'),
    )
    .option('--faults <rate>', 'share of downloads whose answer has a fault, 0 to 1', share)
    .option('--json', 'print one line of JSON, with everything that a client needs', false)
    .addHelpText('after', examples('serve --port 8080 --items 2000', 'serve --faults 0.05 --json'))
    .action(async options => {
      needPackages('serve')
      await (await import('./serve')).serve(options)
    })
  feedmill
    .command('demo')
    .description(
      'Ingest one category of an emulated service over a loopback socket, ' +
        'and prove that the result is right.',
    )
    .option('--items <count>', 'items ever listed in the category', wholeNumber, 20_000)
    .option('--seed <number>', 'seed of the world: equal numbers make equal files', wholeNumber, 7)
    .option('--chunk-bytes <bytes>', 'size of one byte range', wholeNumber, 1 << 20)
    .option('--out <file>', 'the file for the merged items', 'feedmill-demo.ndjson')
    .option(
      '--stream-only',
      'read the bootstrap file alone: no state, no join, constant memory',
      false,
    )
    .addOption(
      new Option('--interrupt', 'kill a first run in the middle, and continue from its state')
        .conflicts('streamOnly')
        .default(false),
    )
    .option('--json', 'print one JSON object and nothing else', false)
    .addHelpText('after', examples('demo', 'demo --items 200000 --interrupt'))
    .action(async options => {
      needPackages('demo')
      await (await import('./demo/demo')).demo({ ...options, cli })
    })
}

/** The default memory of sync(). */
const MEMORY_BYTES = 256 * 2 ** 20
