// The twelve operations as calls of the clients. One flat record has the parameters of all calls.

import type { FeedService } from '../../src/service/feed-service'
import type { SubscriptionRequest } from '../../src/service/json/bodies'
import type { OperationName } from '../../src/service/operations'
import { clientsOf, type Stand } from './shops'

/** Any value may be wrong or absent, because many provocations need such a value. */
export interface Asked {
  readonly marketplace: string | undefined
  readonly categoryId: string | undefined
  readonly scope: string | undefined
  readonly date: string | undefined
  readonly snapshotDate: string | undefined
  readonly fileId: string
  readonly feedTypeId: string
  readonly limit?: number
  readonly continuationToken?: string
  readonly categoryIds?: readonly string[]
  readonly marketplaceIds?: readonly string[]
  readonly lookBackMinutes?: number
  readonly signingKeyId: string
  readonly subscription: SubscriptionRequest
}

/** Parameters with which every operation succeeds in a world of 72 hours. */
export function goodRequest(stand: Stand, fileId: string): Asked {
  const { emulator, marketplace } = stand
  return {
    marketplace,
    categoryId: '220',
    scope: 'ALL_ACTIVE',
    date: '20260301',
    snapshotDate: '2026-03-01T05:00:00.000Z',
    fileId,
    feedTypeId: 'CURATED_ITEM_FEED',
    signingKeyId: emulator.signingKeyIds[0]!,
    subscription: {
      topicId: 'AUTHORIZATION_REVOCATION',
      status: 'ENABLED' as const,
      destinationId: destinationId(stand, 'ENABLED'),
      payload: { deliveryProtocol: 'HTTPS', format: 'JSON', schemaVersion: '1.0' },
    },
  }
}

export function destinationId({ emulator }: Stand, wanted: 'ENABLED' | 'DISABLED'): string {
  return emulator.destinations.find(({ status }) => status === wanted)!.destinationId
}

/** File identifiers depend on the world alone, not on the clock or on permissions. */
export async function someFileId(
  stand: Stand,
  transport: Parameters<typeof clientsOf>[1],
): Promise<string> {
  const { marketplace } = stand
  const [file] = await clientsOf(stand, transport)
    .catalog.getFiles({ marketplace, feedTypeId: 'CURATED_ITEM_FEED' })
    .toArray()
  return file!.fileId
}

/** Reads all rows. */
export const CALLS: Readonly<
  Record<OperationName, (service: FeedService, asked: Asked) => Promise<unknown>>
> = {
  getAccess: ({ catalog }) => catalog.getAccess(),
  getFeedTypes: ({ catalog }, asked) =>
    catalog.getFeedTypes(given(asked, 'limit', 'marketplaceIds')).page(asked.continuationToken),
  getFeedType: ({ catalog }, asked) => catalog.getFeedType(given(asked, 'feedTypeId') as never),
  getFiles: ({ catalog }, asked) =>
    catalog
      .getFiles(
        given(
          asked,
          'marketplace',
          'feedTypeId',
          'limit',
          'categoryIds',
          'lookBackMinutes',
        ) as never,
      )
      .page(asked.continuationToken),
  getFile: ({ catalog }, asked) => catalog.getFile(given(asked, 'marketplace', 'fileId') as never),
  downloadFile: ({ catalog }, asked) =>
    catalog
      .downloadFile(given(asked, 'marketplace', 'fileId') as never)
      .rows()
      .toArray(),
  getItemFeed: ({ feeds }, asked) =>
    feeds
      .getItemFeed(given(asked, 'marketplace', 'categoryId', 'scope', 'date') as never)
      .rows()
      .toArray(),
  getItemGroupFeed: ({ feeds }, asked) =>
    feeds
      .getItemGroupFeed(given(asked, 'marketplace', 'categoryId', 'scope', 'date') as never)
      .rows()
      .toArray(),
  getItemSnapshotFeed: ({ feeds }, asked) =>
    feeds
      .getItemSnapshotFeed(given(asked, 'marketplace', 'categoryId', 'snapshotDate') as never)
      .rows()
      .toArray(),
  getItemPriorityFeed: ({ feeds }, asked) =>
    feeds
      .getItemPriorityFeed(given(asked, 'marketplace', 'categoryId', 'date') as never)
      .rows()
      .toArray(),
  getSigningKey: ({ keys }, asked) => keys.getSigningKey(given(asked, 'signingKeyId') as never),
  createSubscription: ({ notifications }, asked) =>
    notifications.createSubscription(asked.subscription),
}

function given<K extends keyof Asked>(
  asked: Asked,
  ...names: readonly K[]
): Partial<Pick<Asked, K>> {
  return Object.fromEntries(
    names.filter(name => asked[name] !== undefined).map(name => [name, asked[name]]),
  ) as Partial<Pick<Asked, K>>
}
