// The emulated service as one value. It works in process and on sockets, and it shows a test what
// it needs. Faults on demand apply between a request and its answer.

import { type EmulatorOptions, emulatorSettings } from './emulator-options'
import { faultSettings } from './faults/fault'
import { type Answer, FaultInjector, type Faults } from './faults/fault-injector'
import { FileCache } from './feeds/file-cache'
import { createApp } from './http/app'
import { plainErrors } from './http/error-family'
import { type InProcessFetch, inProcessFetch } from './http/in-process-fetch'
import { type ListeningServer, type ListenOptions, listen } from './http/listen'
import type { Destination, Topic } from './notifications/topics'
import type { ServicePaths } from './service-context'
import { serviceParts } from './service-parts'
import type { World } from './world/world'

export interface Emulator {
  readonly world: World
  readonly clientId: string
  readonly clientSecret: string
  readonly scopeBase: string
  /** The path of the token endpoint, relative to the `url` of a server. */
  readonly tokenPath: string
  /** The base path of the feeds, taken from the path of the item feed. */
  readonly feedBasePath: string
  /** The path of each operation. */
  readonly paths: ServicePaths
  /** Identifiers of the signing keys, in the order of the option. */
  readonly signingKeyIds: readonly string[]
  readonly topics: readonly Topic[]
  readonly destinations: readonly Destination[]
  readonly authorizationCode: string
  /** The header that names the marketplace. */
  readonly marketplaceHeader: string
  /** The largest `end - start` of a range. */
  readonly maxRangeBytes: number
  /** The service's clock. */
  now(): Date
  /**
   * The service in process, to be called as the platform's `fetch`. The host of the address does
   * not matter.
   */
  readonly fetch: InProcessFetch
  /** The faults that requests have met. */
  readonly faults: Faults
  /**
   * The service on a socket.
   * @throws FeedError OPTION_INVALID, LISTEN_FAILED when the port is not available,
   * DEPENDENCY_MISSING without hono or @hono/node-server
   */
  listen(options?: ListenOptions): Promise<ListeningServer>
  /** Stops every listener, destroys unfinished answers, and frees every file. */
  close(): Promise<void>
}

/**
 * Makes an emulated service. `fetch` needs the package hono, and `listen` also needs
 * @hono/node-server. Without them, both reject with DEPENDENCY_MISSING.
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { createEmulator } from 'feedmill/emulator'
 *
 * const emulator = createEmulator({ world: { seed: 7, items: 100 } })
 * const answer = await emulator.fetch(`http://emulator${emulator.feedBasePath}/item`)
 * console.log(answer.status) // The request has no token.
 * await emulator.close()
 * // => 401
 * ```
 */
export function createEmulator(options: EmulatorOptions): Emulator {
  const settings = emulatorSettings(options)
  const { world, clientId, clientSecret, authorizationCode, now } = settings
  const { scopeBase, marketplaceHeader, maxRangeBytes } = settings.profile
  const cache = new FileCache(options.cache)
  const { routes, tokens, paths, ...seeds } = serviceParts(settings, cache)
  const plain = plainErrors(settings.wrapErrors)
  const app = createApp({ routes, tokens, scopeBase, plain })
  const injector = new FaultInjector(
    faultSettings(downloadRoutes(paths), options.faults),
    request => app.answer(request),
  )
  const answer: Answer = async (request, connection) => {
    const response = await injector.answer(request, connection)
    try {
      // Node would send the Date of the system's clock.
      response.headers.set('date', now().toUTCString())
    } catch {
      // The caller's clock gives no Date, which an answer that depends on it has said already.
    }
    return response
  }
  const servers: ListeningServer[] = []
  let closed = false
  return {
    world,
    clientId,
    clientSecret,
    authorizationCode,
    scopeBase,
    tokenPath: paths.getToken,
    feedBasePath: paths.getItemFeed.slice(0, paths.getItemFeed.lastIndexOf('/')),
    paths,
    marketplaceHeader,
    maxRangeBytes,
    now,
    ...seeds,
    fetch: inProcessFetch(answer),
    faults: injector,
    listen: async listenOptions => {
      await app.load()
      const server = await listen(answer, plain, listenOptions)
      servers.push(server)
      if (closed) await server.close()
      return server
    },
    close: async () => {
      closed = true
      injector.close()
      await Promise.all(servers.map(server => server.close()))
      await cache.close()
    },
  }
}

function downloadRoutes(paths: ServicePaths): string[] {
  const downloads = [
    'getItemFeed',
    'getItemGroupFeed',
    'getItemSnapshotFeed',
    'getItemPriorityFeed',
    'downloadFile',
  ] as const
  return downloads.map(name => paths[name].replaceAll(/\{\w+\}/g, '*'))
}
