// Two services of one family on sockets. They differ in every setting of a profile. The same record
// configures the clients and the emulator.

import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator'
import { createFeedService, type FeedService } from '../../src/service/feed-service'
import type { HttpTransport } from '../../src/service/http/http-transport'
import { NodeTransport } from '../../src/service/http/node-transport'
import { defineProfile, type ProfileOptions, type ServiceProfile } from '../../src/service/profile'
import { type ResponseCheck, responseCheck } from '../emulator/openapi-validation'
import { FAST } from '../service/emulated'

type SharedOptions = Omit<
  ProfileOptions,
  'baseUrl' | 'tokenUrl' | 'keysBaseUrl' | 'notificationsBaseUrl'
>

export interface Shop {
  readonly shared: SharedOptions
  /** True where every error body is a list. */
  readonly wrapErrors: boolean
}

export const DOCUMENTED: Shop = {
  shared: { scopeBase: 'https://api.market.example/oauth' },
  wrapErrors: false,
}

export const ANOTHER: Shop = {
  shared: {
    scopeBase: 'urn:shop:scopes',
    marketplaceHeader: 'X-Shop-Market',
    marketplacePrefix: 'SHOP_',
    lookBackParameter: 'since_minutes',
    paths: {
      getAccess: '/v9/rights',
      getFeedTypes: '/v9/kinds',
      getFeedType: '/v9/kinds/{feed_type_id}',
      getFiles: '/v9/files',
      getFile: '/v9/files/{file_id}',
      downloadFile: '/v9/files/{file_id}/content',
      getItemFeed: '/v9/beta/articles',
      getItemGroupFeed: '/v9/beta/families',
      getItemSnapshotFeed: '/v9/beta/changes',
      getItemPriorityFeed: '/v9/beta/campaigns',
      getSigningKey: '/pair/{signing_key_id}',
      createSubscription: '/order',
    },
    scopes: { getItemFeed: 'articles.read', getSigningKey: 'keys.read' },
    limits: { pageSizeLeast: 10, pageSizeMost: 50, categoryIds: 5, marketplaceIds: 3 },
  },
  wrapErrors: true,
}

/** A listening service, and the parameters of a valid request. */
export interface Stand {
  readonly shop: Shop
  readonly emulator: Emulator
  readonly profile: ServiceProfile
  readonly marketplace: string
  readonly document: ServiceDocument
  /** Compares a response with the OpenAPI description of the service. */
  readonly check: ResponseCheck
}

/** The description of the operations by the service. */
export interface ServiceDocument {
  operation(name: string): {
    readonly parameters?: readonly { readonly name: string }[]
    readonly requestBody?: object
  }
  /** Returns the field names of a component. */
  fields(component: string): readonly string[]
}

export class Stands {
  readonly transport = new NodeTransport()
  readonly #open = new Map<string, Promise<Stand>>()

  /** The services by their options. Tests with the same options share a service. */
  with(shop: Shop, options: Partial<EmulatorOptions> = {}): Promise<Stand> {
    const key = JSON.stringify([shop, options])
    const stand = this.#open.get(key) ?? openStand(shop, options)
    this.#open.set(key, stand)
    return stand
  }

  async close(): Promise<void> {
    const stands = await Promise.allSettled(this.#open.values())
    for (const stand of stands) if (stand.status === 'fulfilled') await stand.value.emulator.close()
    await this.transport.close()
  }
}

export async function openStand(
  shop: Shop,
  options: Partial<EmulatorOptions> = {},
): Promise<Stand> {
  const marketplaces = ['US', 'DE'].map(code => (shop.shared.marketplacePrefix ?? 'MKT_') + code)
  const world = { seed: 7, items: 60, churn: 20, hours: 72, marketplaces }
  const emulator = createEmulator({
    world,
    ...shop.shared,
    wrapErrors: shop.wrapErrors,
    ...options,
  })
  const { url } = await emulator.listen()
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Record<string, unknown>
  return {
    shop,
    emulator,
    profile: profileOf(shop, url, emulator.tokenPath),
    marketplace: marketplaces[0]!,
    document: readDocument(document),
    check: responseCheck(document),
  }
}

function readDocument(json: Readonly<Record<string, unknown>>): ServiceDocument {
  const { paths, components } = json as {
    paths: Record<
      string,
      Record<string, ReturnType<ServiceDocument['operation']> & { operationId: string }>
    >
    components: { schemas: Record<string, { properties: object }> }
  }
  const operations = Object.values(paths).flatMap(methods => Object.values(methods))
  return {
    operation: name => operations.find(({ operationId }) => operationId === name)!,
    fields: component => Object.keys(components.schemas[component]!.properties),
  }
}

function profileOf({ shared }: Shop, url: string, tokenPath: string): ServiceProfile {
  return defineProfile({ ...shared, baseUrl: url, tokenUrl: url + tokenPath })
}

/**
 * Returns clients without repeats and without checks. `scopes` replace those of the profile.
 */
export function clientsOf(
  { emulator, profile }: Stand,
  transport: HttpTransport,
  scopes: ProfileOptions['scopes'] = {},
): FeedService {
  const { clientId, clientSecret } = emulator
  const once = {
    ...FAST,
    retry: { ...FAST.retry, patienceMs: 0 },
    ranges: { ...FAST.ranges, retry: { patienceMs: 0 } },
  }
  const asked = { ...profile, scopes: { ...profile.scopes, ...scopes } }
  return createFeedService(
    asked,
    { clientId, clientSecret },
    { transport, checks: 'none', ...once },
  )
}
