// The options of the commands over the operations of the service: catalog, keys and subscriptions.

import {
  type Command,
  examples,
  jsonOption,
  Option,
  positive,
  serviceOptions,
  several,
  table,
} from '../command-options'
import { PROXY_VARIABLES } from '../environment-proxy'
import { CREDENTIAL_VARIABLES, USER_TOKEN_VARIABLE } from '../service-settings'

export function addServiceCommands(feedmill: Command): void {
  addCatalogCommands(
    feedmill
      .command('catalog')
      .helpCommand(false)
      .description('Show what the feed file catalog has, and download files of it.'),
  )
  addKeyCommands(
    feedmill
      .command('keys')
      .helpCommand(false)
      .description('Show the signing keys of the application.'),
  )
  addSubscriptionCommands(
    feedmill.command('subscriptions').helpCommand(false).description('Subscribe to notifications.'),
  )
}

function addCatalogCommands(catalog: Command): void {
  withServiceOptions(
    catalog
      .command('access')
      .description('Show the feed types, marketplaces and categories that you may read.'),
    'print one JSON document',
    'catalog access',
  ).action(async options => (await import('./catalog')).accessCommand(options))
  withServiceOptions(
    catalog
      .command('feed-types')
      .description('List the feed types.')
      .option('--marketplace <id>', 'only those of a marketplace; may be repeated', several)
      .option('--feed-scope <scope>', 'only those of a scope, e.g. DAILY')
      .option('--limit <count>', 'the most feed types to list; all by default', positive),
    'print one feed type a line, as JSON',
    'catalog feed-types --marketplace MKT_US',
  ).action(async options => (await import('./catalog')).feedTypesCommand(options))
  withServiceOptions(
    catalog
      .command('feed-type')
      .description('Show one feed type.')
      .argument('<feed-type>', 'identifier of the feed type'),
    'print one JSON document',
    'catalog feed-type PRODUCT_FEED --json',
  ).action(async (id, options) => (await import('./catalog')).feedTypeCommand(id, options))
  withServiceOptions(
    catalog
      .command('files')
      .description('List the files of a marketplace.')
      .requiredOption('--marketplace <id>', 'marketplace, e.g. MKT_US')
      .option('--feed-type <id>', 'only files of a feed type')
      .option('--feed-scope <scope>', 'only files of a scope, e.g. DAILY')
      .option('--category <id>', 'only files of a top-level category; may be repeated', several)
      .option('--look-back <minutes>', 'only files made in the last minutes', positive)
      .option('--limit <count>', 'the most files to list; all by default', positive),
    'print one file a line, as JSON',
    'catalog files --marketplace MKT_US --category 220 --look-back 1440',
  ).action(async options => (await import('./catalog')).filesCommand(options))
  withServiceOptions(
    catalog
      .command('file')
      .description('Show one file.')
      .argument('<file>', 'identifier of the file')
      .requiredOption('--marketplace <id>', 'marketplace of the file, e.g. MKT_US'),
    'print one JSON document',
    'catalog file FILE_ID --marketplace MKT_US',
  ).action(async (id, options) => (await import('./catalog')).fileCommand(id, options))
  withServiceOptions(
    catalog
      .command('download')
      .description(
        'Download files, compressed as they are. ' +
          'A file appears when it is whole and its checksums fit.',
      )
      .argument('<file...>', 'identifiers of the files')
      .requiredOption('--marketplace <id>', 'marketplace of the files, e.g. MKT_US')
      .option('--out <path>', 'a folder, the path of one file, or - for standard output', '.'),
    'print one line of JSON for each file',
    'catalog download FILE_ID --marketplace MKT_US --out items.tsv.gz',
    'catalog download FILE_ID --marketplace MKT_US --out - | zcat | head',
  ).action(async (ids, options) => (await import('./download')).downloadCommand(ids, options))
}

function addKeyCommands(keys: Command): void {
  withServiceOptions(
    keys
      .command('get')
      .description('Show the public part of a signing key.')
      .argument('<key>', 'identifier of the key'),
    'print one JSON document',
    'keys get KEY_ID',
  ).action(async (id, options) => (await import('./keys')).keyCommand(id, options))
}

function addSubscriptionCommands(subscriptions: Command): void {
  withServiceOptions(
    subscriptions
      .command('create')
      .description('Create a subscription to a topic.')
      .requiredOption('--topic <id>', 'identifier of the topic')
      .requiredOption('--destination <id>', 'identifier of the destination')
      .requiredOption('--schema-version <version>', 'one of the schema versions of the topic')
      .addOption(
        new Option('--status <status>', 'the first status of the subscription')
          .choices(['ENABLED', 'DISABLED'])
          .default('ENABLED'),
      )
      .option('--protocol <protocol>', 'how notifications are delivered', 'HTTPS')
      .option('--format <format>', 'the format of notifications', 'JSON')
      .option(
        '--scope <name>',
        'a scope that the topic needs, such as buy.item.feed; may be repeated',
        several,
      )
      .option(
        '--user',
        `create it for the user whose access token is in ${USER_TOKEN_VARIABLE}`,
        false,
      ),
    'print one JSON document',
    'subscriptions create --topic TOPIC_ID --destination DESTINATION_ID --schema-version 1.0',
  ).action(async options => (await import('./subscriptions')).subscriptionCommand(options))
}

/** Adds the options and the help that all of these commands have. */
function withServiceOptions(command: Command, json: string, ...lines: readonly string[]): Command {
  command.addOption(jsonOption(json))
  for (const option of serviceOptions()) command.addOption(option)
  return command
    .addHelpText('after', examples(...lines))
    .addHelpText('after', table('Credentials', CREDENTIAL_VARIABLES))
    .addHelpText('after', table('Proxy and certificates', PROXY_VARIABLES))
}
