// The commands over the operations of the service: catalog, keys and subscriptions. Only the
// download of files is a file of its own.

import type { AccessResponse, FeedType, FileMetadata } from '../../service'
import {
  type Command,
  jsonOption,
  option,
  positive,
  several,
  type Values,
} from '../command-options'
import { given } from '../given'
import { type ServiceSettings, USER_TOKEN_VARIABLE } from '../service-settings'
import { usageError } from '../usage-error'
import { operate, type Shown, withServiceOptions } from './operation'

const ONE_DOCUMENT = jsonOption('print one JSON document')

export function addServiceCommands(feedmill: Command): void {
  const group = (name: string, description: string) =>
    feedmill.command(name).helpCommand(false).description(description)
  addCatalogCommands(
    group('catalog', 'Show what the feed file catalog has, and download files of it.'),
  )
  addKeyCommands(group('keys', 'Show the signing keys of the application.'))
  addSubscriptionCommands(group('subscriptions', 'Subscribe to notifications.'))
}

function addCatalogCommands(catalog: Command): void {
  operate(
    catalog
      .command('access')
      .description('Show the feed types, marketplaces and categories that you may read.')
      .examples('catalog access'),
    [ONE_DOCUMENT],
    {
      call: service => service.catalog.getAccess(),
      heading: ['feed type', 'marketplace', 'categories'],
      linesOf: accessLines,
    },
  )
  operate(
    catalog
      .command('feed-types')
      .description('List the feed types.')
      .examples('catalog feed-types --marketplace MKT_US'),
    [
      option('--marketplace <id>', 'only those of a marketplace; may be repeated', {
        read: several,
      }),
      option('--feed-scope <scope>', 'only those of a scope, e.g. DAILY'),
      option('--limit <count>', 'the most feed types to list; all by default', { read: positive }),
      jsonOption('print one feed type a line, as JSON'),
    ],
    {
      ...FEED_TYPE,
      call: (service, { feedScope, marketplace }) =>
        service.catalog.getFeedTypes(given({ feedScope, marketplaceIds: marketplace })),
    },
  )
  operate(
    catalog
      .command('feed-type')
      .description('Show one feed type.')
      .argument('<feed-type>', 'identifier of the feed type')
      .examples('catalog feed-type PRODUCT_FEED --json'),
    [ONE_DOCUMENT],
    {
      ...FEED_TYPE,
      call: (service, _, feedTypeId) => service.catalog.getFeedType({ feedTypeId }),
    },
  )
  operate(
    catalog
      .command('files')
      .description('List the files of a marketplace.')
      .examples('catalog files --marketplace MKT_US --category 220 --look-back 1440'),
    [
      option('--marketplace <id>', 'marketplace, e.g. MKT_US', { required: true }),
      option('--feed-type <id>', 'only files of a feed type'),
      option('--feed-scope <scope>', 'only files of a scope, e.g. DAILY'),
      option('--category <id>', 'only files of a top-level category; may be repeated', {
        read: several,
      }),
      option('--look-back <minutes>', 'only files made in the last minutes', { read: positive }),
      option('--limit <count>', 'the most files to list; all by default', { read: positive }),
      jsonOption('print one file a line, as JSON'),
    ],
    {
      ...FILE,
      call: (service, { marketplace, feedType, feedScope, category, lookBack }) =>
        service.catalog.getFiles({
          marketplace,
          ...given({ feedTypeId: feedType, feedScope, categoryIds: category }),
          ...given({ lookBackMinutes: lookBack }),
          // The largest page needs the fewest requests.
          limit: service.profile.limits.pageSizeMost,
        }),
    },
  )
  operate(
    catalog
      .command('file')
      .description('Show one file.')
      .argument('<file>', 'identifier of the file')
      .examples('catalog file FILE_ID --marketplace MKT_US'),
    [
      option('--marketplace <id>', 'marketplace of the file, e.g. MKT_US', { required: true }),
      ONE_DOCUMENT,
    ],
    {
      ...FILE,
      isOne: true,
      call: (service, { marketplace }, fileId) => service.catalog.getFile({ fileId, marketplace }),
    },
  )
  withServiceOptions(
    catalog
      .command('download')
      .description(
        'Download files, compressed as they are. ' +
          'A file appears when it is whole and its checksums fit.',
      )
      .argument('<file...>', 'identifiers of the files')
      .examples(
        'catalog download FILE_ID --marketplace MKT_US --out items.tsv.gz',
        'catalog download FILE_ID --marketplace MKT_US --out - | zcat | head',
      ),
    DOWNLOAD_OPTIONS,
  ).action(async (ids, options) => (await import('./download')).downloadCommand(ids, options))
}

const DOWNLOAD_OPTIONS = [
  option('--marketplace <id>', 'marketplace of the files, e.g. MKT_US', { required: true }),
  option('--out <path>', 'a folder, the path of one file, or - for standard output', {
    default: '.',
  }),
  jsonOption('print one line of JSON for each file'),
] as const
export type DownloadCommand = Values<typeof DOWNLOAD_OPTIONS> & ServiceSettings

/** JSON has the fields of the service, and its two times as ISO 8601 too. */
function addKeyCommands(keys: Command): void {
  operate(
    keys
      .command('get')
      .description('Show the public part of a signing key.')
      .argument('<key>', 'identifier of the key')
      .examples('keys get KEY_ID'),
    [ONE_DOCUMENT],
    {
      isOne: true,
      call: (service, _, signingKeyId) => service.keys.getSigningKey({ signingKeyId }),
      heading: ['key', 'cipher', 'created', 'expires', 'public key', 'jwe'],
      linesOf: ({ signingKeyId, signingKeyCipher, createdAt, expiresAt, publicKey, jwe }) => {
        const times = [createdAt.toISOString(), expiresAt.toISOString()]
        const key = publicKey.replace(/\s+/g, ' ').trim()
        return [[signingKeyId, signingKeyCipher, ...times, key, jwe]]
      },
    },
  )
}

function addSubscriptionCommands(subscriptions: Command): void {
  operate(
    subscriptions
      .command('create')
      .description('Create a subscription to a topic.')
      .examples(
        'subscriptions create --topic TOPIC_ID --destination DESTINATION_ID --schema-version 1.0',
      ),
    [
      option('--topic <id>', 'identifier of the topic', { required: true }),
      option('--destination <id>', 'identifier of the destination', { required: true }),
      option('--schema-version <version>', 'one of the schema versions of the topic', {
        required: true,
      }),
      option('--status <status>', 'the first status of the subscription', {
        choices: ['ENABLED', 'DISABLED'],
        default: 'ENABLED',
      }),
      option('--protocol <protocol>', 'how notifications are delivered', { default: 'HTTPS' }),
      option('--format <format>', 'the format of notifications', { default: 'JSON' }),
      option(
        '--scope <name>',
        'a scope that the topic needs, such as buy.item.feed; may be repeated',
        { read: several },
      ),
      option('--user', `create it for the user whose access token is in ${USER_TOKEN_VARIABLE}`, {
        default: false,
      }),
      ONE_DOCUMENT,
    ],
    {
      isOne: true,
      call: async ({ notifications }, options) => {
        const { topic, destination, schemaVersion, status, protocol, format, scope = [] } = options
        const user = options.user ? userToken() : undefined
        const { subscriptionId, location } = await notifications.createSubscription(
          {
            topicId: topic,
            status,
            destinationId: destination,
            payload: { deliveryProtocol: protocol, format, schemaVersion },
          },
          { scopes: scope, ...(user !== undefined && { user: () => user }) },
        )
        return { subscriptionId, location }
      },
      heading: ['subscription', 'address'],
      linesOf: ({ subscriptionId, location }) => [[subscriptionId, location]],
    },
  )
}

function userToken(): string {
  const token = process.env[USER_TOKEN_VARIABLE]
  if (token !== undefined && token !== '') return token
  const expected = `an access token of the user in ${USER_TOKEN_VARIABLE}, in the environment`
  throw usageError('user', expected, 'nothing', `--user needs ${expected}`)
}

/** A line for each marketplace of a feed type. Missing constraints mean that nothing is excluded. */
function accessLines({ accesses }: AccessResponse): string[][] {
  return accesses.flatMap(({ feedType, constraints = [] }) =>
    constraints.length === 0
      ? [[feedType, 'all', 'all']]
      : constraints.map(({ marketplaceId, categoryIds }) => [
          feedType,
          marketplaceId,
          listOrAll(categoryIds),
        ]),
  )
}

/** A line for each feed of a feed type. */
const FEED_TYPE: Shown<FeedType> = {
  heading: ['feed type', 'scope', 'status', 'look-back', 'marketplaces', 'schemas'],
  linesOf: ({ feedTypeId, supportedFeeds = [] }) => {
    if (supportedFeeds.length === 0) return [[feedTypeId, '', '', '', '', '']]
    return supportedFeeds.map(
      ({ feedScope = '', status = '', lookBack, constraint, supportedSchemas = [] }) => [
        feedTypeId,
        feedScope,
        status,
        durationText(lookBack, 'MINUTE'),
        listOrAll(constraint?.marketplaceIds),
        supportedSchemas.flatMap(({ schemaVersion }) => schemaVersion ?? []).join(', '),
      ],
    )
  },
}

/** The size of a file is not among these, because large sizes overflow in the catalog. */
const FILE: Shown<FileMetadata> = {
  heading: ['file', 'feed type', 'scope', 'date', 'span', 'categories', 'schema', 'access'],
  linesOf: file => {
    const { fileId, feedTypeId = '', feedScope = '', feedDate = '', span } = file
    const { dimensions = [], schemaVersion = '', access = '' } = file
    const categories = dimensions
      .filter(({ dimensionKey }) => dimensionKey === 'CATEGORY')
      .flatMap(({ values = [] }) => values)
      .join(', ')
    const when = [feedDate, durationText(span, '')]
    return [[fileId, feedTypeId, feedScope, ...when, categories, schemaVersion, access]]
  },
}

function durationText(duration: FileMetadata['span'], defaultUnit: string): string {
  return duration === undefined ? '' : `${duration.value} ${duration.unit ?? defaultUnit}`.trim()
}

function listOrAll(values: readonly string[] = []): string {
  return values.length === 0 ? 'all' : values.join(', ')
}
