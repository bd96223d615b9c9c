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
import { needPackages } from './needed-packages'
import { print } from './output'
import { addProfileCommand } from './profile/profile-command'
import { addServiceCommands } from './service/service-commands'
import { CREDENTIAL_VARIABLES } from './service-settings'
import { packagesOfPlace } from './sync/target-option'
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
  addProfileCommand(feedmill).addHelpText(
    'after',
    examples('profile items.tsv.gz --read typed', 'profile items.tsv.gz --save baseline.json'),
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
    .addOption(
      new Option(
        '--to <address>',
        'a database in place of the state folder, e.g. postgres://user@host/database; ' +
          'its password is in PGPASSWORD or PGPASSFILE',
      ).conflicts(['state', 'keepFiles', 'changes']),
    )
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
    .option('--json', 'print one event a line, as JSON', false)
  for (const option of [...serviceOptions(), clockOption()]) sync.addOption(option)
  sync
    .addHelpText(
      'after',
      examples(
        'sync --marketplace MKT_US --category 220 --state ./state',
        'sync … --follow --memory 1GB',
      ),
    )
    .addHelpText('after', table('Credentials', CREDENTIAL_VARIABLES))
    .addHelpText('after', table('Proxy and certificates', PROXY_VARIABLES))
    .action(async options => {
      needPackages('sync', undefined, packagesOfPlace(options))
      await (await import('./sync/sync')).syncCommand(options)
    })
  feedmill
    .command('status')
    .description(
      'Show the progress of a state folder, the files that it lacks, and its size on the disk.',
    )
    .argument('<dir>', 'the state folder')
    .addOption(clockOption())
    .option('--json', 'print one line of JSON', false)
    .addHelpText('after', examples('status ./state'))
    .action(async (folder, options) => {
      needPackages('status')
      await (await import('./sync/status')).statusCommand(folder, options)
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
    .option('--out <file>', 'the file to write; standard output by default')
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
      ),
    )
    .action(async options => {
      needPackages('export')
      await (await import('./sync/export')).exportCommand(options)
    })
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
