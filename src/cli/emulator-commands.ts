// The options of the commands over an emulated service: `feedmill sample`, `serve` and `demo`.

import {
  type Command,
  examples,
  jsonOption,
  Option,
  positive,
  seedOf,
  several,
  share,
  time,
  wholeNumber,
} from './command-options'
import { needPackages } from './needed-packages'

/** @param cli the path of the running command, which `demo` starts once more */
export function addEmulatorCommands(feedmill: Command, cli: string): void {
  feedmill
    .command('sample')
    .description(
      'Write a small item feed of an emulated service, as gzip, to a file that is not there yet.',
    )
    .argument('<file>', 'the file, such as items.tsv.gz')
    .option('--items <count>', 'items ever listed; some have ended', positive, 1000)
    .option('--seed <number>', 'seed of the world: equal numbers make equal files', seedOf, 7)
    .addOption(jsonOption('print the path, the rows and the bytes as JSON'))
    .addHelpText('after', examples('sample items.tsv.gz'))
    .action(async (file: string, options) => (await import('./sample')).sample(file, options))
  feedmill
    .command('serve')
    .description('Serve an emulated service on a loopback socket until a signal comes.')
    .option('--port <number>', 'port, 0 for any', wholeNumber, 0)
    .option('--items <count>', 'items ever listed in each category', wholeNumber, 50_000)
    .option('--seed <number>', 'seed of the world: equal numbers make equal files', seedOf, 7)
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
    .option('--seed <number>', 'seed of the world: equal numbers make equal files', seedOf, 7)
    .option('--out <file>', 'the file for the merged items', 'feedmill-demo.ndjson')
    .option('--interrupt', 'kill a first run in the middle, and continue from its state', false)
    .option('--json', 'print one JSON object and nothing else', false)
    .addHelpText('after', examples('demo', 'demo --items 200000 --interrupt'))
    .action(async options => {
      needPackages('demo')
      await (await import('./demo/demo')).demo({ ...options, cli })
    })
}
