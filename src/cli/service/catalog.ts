// `feedmill catalog`, all but its downloads: the access rules, the feed types and the files of the
// feed file catalog.

import type {
  AccessResponse,
  FeedType,
  FeedTypesQuery,
  FileMetadata,
  FilesQuery,
  TimeDuration,
} from '../../service'
import { jsonText, print } from '../output'
import type { ServiceSettings } from '../service-settings'
import { printFacts, printList, printTable, withService } from './service-output'

export interface CatalogCommand extends ServiceSettings {
  readonly json: boolean
}

export interface FeedTypesCommand extends CatalogCommand {
  readonly feedScope?: string
  readonly marketplace?: readonly string[]
  /** The most feed types to print. */
  readonly limit?: number
}

export interface FilesCommand extends CatalogCommand {
  readonly marketplace: string
  readonly feedType?: string
  readonly feedScope?: string
  readonly category?: readonly string[]
  /** The age limit of the files, in minutes. */
  readonly lookBack?: number
  /** The most files to print. */
  readonly limit?: number
}

export interface FileCommand extends CatalogCommand {
  readonly marketplace: string
}

export function accessCommand(options: CatalogCommand): Promise<void> {
  return withService(options, async ({ catalog }) => {
    const access = await catalog.getAccess()
    if (options.json) await print(jsonText(access))
    else await printTable(['feed type', 'marketplace', 'categories'], accessLines(access))
  })
}

export function feedTypesCommand(options: FeedTypesCommand): Promise<void> {
  const { feedScope, marketplace } = options
  const query: FeedTypesQuery = {
    ...(feedScope !== undefined && { feedScope }),
    ...(marketplace && { marketplaceIds: marketplace }),
  }
  return withService(options, ({ catalog }) =>
    printList(catalog.getFeedTypes(query), options, FEED_TYPE_HEADING, feedTypeLines),
  )
}

export function feedTypeCommand(feedTypeId: string, options: CatalogCommand): Promise<void> {
  return withService(options, async ({ catalog }) => {
    const feedType = await catalog.getFeedType({ feedTypeId })
    if (options.json) await print(jsonText(feedType))
    else await printTable(FEED_TYPE_HEADING, feedTypeLines(feedType))
  })
}

export function filesCommand(options: FilesCommand): Promise<void> {
  const { marketplace, feedType, feedScope, category, lookBack } = options
  const query: FilesQuery = {
    marketplace,
    ...(feedType !== undefined && { feedTypeId: feedType }),
    ...(feedScope !== undefined && { feedScope }),
    ...(category && { categoryIds: category }),
    ...(lookBack !== undefined && { lookBackMinutes: lookBack }),
  }
  return withService(options, ({ catalog, profile }) => {
    // The largest page needs the fewest requests.
    const files = catalog.getFiles({ ...query, limit: profile.limits.pageSizeMost })
    return printList(files, options, FILE_HEADING, file => [fileLine(file)])
  })
}

export function fileCommand(fileId: string, options: FileCommand): Promise<void> {
  return withService(options, async ({ catalog }) => {
    const file = await catalog.getFile({ fileId, marketplace: options.marketplace })
    const cells = fileLine(file)
    if (options.json) await print(jsonText(file))
    else await printFacts(FILE_HEADING.map((name, n) => [name, cells[n]!]))
  })
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

const FEED_TYPE_HEADING = ['feed type', 'scope', 'status', 'look-back', 'marketplaces', 'schemas']

/** A line for each feed of a feed type. */
function feedTypeLines({ feedTypeId, supportedFeeds = [] }: FeedType): string[][] {
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
}

/** The size of a file is not among these, because large sizes overflow in the catalog. */
const FILE_HEADING = [
  'file',
  'feed type',
  'scope',
  'date',
  'span',
  'categories',
  'schema',
  'access',
]

function fileLine(file: FileMetadata): string[] {
  const { fileId, feedTypeId = '', feedScope = '', feedDate = '', span } = file
  const { dimensions = [], schemaVersion = '', access = '' } = file
  const categories = dimensions.filter(({ dimensionKey }) => dimensionKey === 'CATEGORY')
  return [
    fileId,
    feedTypeId,
    feedScope,
    feedDate,
    durationText(span, ''),
    categories.flatMap(({ values = [] }) => values).join(', '),
    schemaVersion,
    access,
  ]
}

function durationText(duration: TimeDuration | undefined, defaultUnit: string): string {
  return duration === undefined ? '' : `${duration.value} ${duration.unit ?? defaultUnit}`.trim()
}

function listOrAll(values: readonly string[] = []): string {
  return values.length === 0 ? 'all' : values.join(', ')
}
