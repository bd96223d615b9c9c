// The options of the commands over an emulated service: `feedmill sample`, `serve` and `demo`.

import {
  type Command,
  jsonOption,
  option,
  positive,
  seedOf,
  several,
  share,
  time,
  type Values,
  wholeNumber,
} from './command-options'

const SEED_OPTION = option('--seed <number>', 'seed of the world: equal numbers make equal files', {
  read: seedOf,
  default: 7,
})

const SHAPE_OPTION = option(
  '--shape <shape>',
  'plain: every kind of cell; market: the shape of real files',
  { choices: ['plain', 'market'], default: 'plain' },
)

const SAMPLE_OPTIONS = [
  option('--items <count>', 'items ever listed; some have ended', {
    read: positive,
    default: 1000,
  }),
  SEED_OPTION,
  SHAPE_OPTION,
  jsonOption('print the path, the rows and the bytes as JSON'),
] as const
export type SampleOptions = Values<typeof SAMPLE_OPTIONS>

const SERVE_OPTIONS = [
  option('--port <number>', 'port, 0 for any', { read: wholeNumber, default: 0 }),
  option('--items <count>', 'items ever listed in each category', {
    read: wholeNumber,
    default: 50_000,
  }),
  SHAPE_OPTION,
  option(
    '--hours <count>',
    'hours over which new listings spread; above 144 there are bootstraps of each day',
    { read: positive, default: 24 },
  ),
  SEED_OPTION,
  option('--marketplace <id>', 'a marketplace; may be repeated; MKT_US by default', {
    read: several,
  }),
  option(
    '--category <id>',
    'a top-level category of each marketplace; may be repeated; 220 by default',
    { read: several },
  ),
  option(
    '--now <time>',
    "the service's clock, which then stands still, with its zone, e.g. 2026-03-01T12:00:00Z; " +
      'by default where the last snapshot of the world appears',
    { read: time },
  ),
  option('--sandbox', 'limit ranges to 10 MB instead of 100 MB', { default: false }),
  option('--header-form <form>', 'form of Content-range', {
    choices: ['documented', 'rfc9110', 'echo'],
    default: 'documented',
  }),
  option('--faults <rate>', 'share of downloads whose answer has a fault, 0 to 1', { read: share }),
  jsonOption('print one line of JSON, with everything that a client needs'),
] as const
export type ServeOptions = Values<typeof SERVE_OPTIONS>

const DEMO_OPTIONS = [
  option('--items <count>', 'items ever listed in the category', {
    read: wholeNumber,
    default: 20_000,
  }),
  SEED_OPTION,
  option('--out <file>', 'the file for the merged items', { default: 'feedmill-demo.ndjson' }),
  option('--interrupt', 'kill a first run in the middle, and continue from its state', {
    default: false,
  }),
  jsonOption('print one JSON object and nothing else'),
] as const
/** Other processes run the script of the command: the emulated service, and the run to kill. */
export type DemoOptions = Values<typeof DEMO_OPTIONS> & { readonly cli: string }

/** @param cli the path of the running command, which `demo` starts once more */
export function addEmulatorCommands(feedmill: Command, cli: string): void {
  feedmill
    .command('sample')
    .description(
      'Write a small item feed of an emulated service, as gzip, to a file that is not there yet.',
    )
    .argument('<file>', 'the file, such as items.tsv.gz')
    .addOptions(SAMPLE_OPTIONS)
    .examples('sample items.tsv.gz')
    .action(async (file, options) => (await import('./sample')).sample(file, options))
  feedmill
    .command('serve')
    .description('Serve an emulated service on a loopback socket until a signal comes.')
    .addOptions(SERVE_OPTIONS)
    .examples(
      'serve --port 8080 --items 2000',
      'serve --shape market --hours 336',
      'serve --faults 0.05 --json',
    )
    .needs('serve')
    .action(async options => (await import('./serve')).serve(options))
  feedmill
    .command('demo')
    .description(
      'Ingest one category of an emulated service over a loopback socket, ' +
        'and prove that the result is right.',
    )
    .addOptions(DEMO_OPTIONS)
    .examples('demo', 'demo --items 200000 --interrupt')
    .needs('demo')
    .action(async options => (await import('./demo/demo')).demo({ ...options, cli }))
}
