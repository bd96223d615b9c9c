// Puts the emulated service together: world, files, tokens, operations, routes, sockets. Its clock is injected.
// What comes between a request and its answer (faults on demand) wraps `answer` here.

import { FeedError } from '../errors'
import { createApp, FEED_BASE_PATH, TOKEN_PATH } from './app'
import { checkFileFormat, type FileFormat } from './feed-file'
import { FeedService } from './feed-service'
import { FileCache, type FileCacheOptions } from './file-cache'
import { type InProcessFetch, inProcessFetch } from './in-process-fetch'
import { type ListeningServer, type ListenOptions, listen } from './listen'
import type { HeaderForm } from './requested-range'
import { TokenIssuer } from './tokens'
import { createWorld, type World } from './world/world'
import type { WorldOptions } from './world/world-options'

export interface EmulatorOptions {
  /** A world, or what to make one from. */
  readonly world: World | WorldOptions
  /** The service's clock, fixed or running. Default: fixed at the world's end. */
  readonly now?: Date | (() => Date)
  /** When the bootstrap files were made, in whole seconds. Default: the world's start. */
  readonly bootstrapAt?: Date
  /** Ranges up to 10 MB in place of 100 MB. Default false. */
  readonly sandbox?: boolean
  /** The largest `end - start` of a range. Default 100 MB, or 10 MB with `sandbox`. */
  readonly maxRangeBytes?: number
  /** Default `documented`. */
  readonly headerForm?: HeaderForm
  /** Sends errors as `{"errors":[…]}` in place of the documented bare form. Default false. */
  readonly wrapErrors?: boolean
  readonly format?: FileFormat
  readonly cache?: FileCacheOptions
  /** Default `feedmill-client`. */
  readonly clientId?: string
  /** Default `feedmill-secret`. */
  readonly clientSecret?: string
  /** Default 7200. */
  readonly tokenLifetimeSeconds?: number
  /** Default `https://api.market.example/oauth`. */
  readonly scopeBase?: string
  /** Default `X-MKT-C-MARKETPLACE-ID`. */
  readonly marketplaceHeader?: string
  /** Default `MKT_`. */
  readonly marketplacePrefix?: string
}

export interface Emulator {
  readonly world: World
  readonly clientId: string
  readonly clientSecret: string
  readonly scopeBase: string
  /** The token endpoint's path; its address is the server's `url` and this. */
  readonly tokenPath: string
  /** The base path of the four feeds. */
  readonly feedBasePath: string
  /** The service in process, to be called as the platform's `fetch`. The host of the address does not matter. */
  readonly fetch: InProcessFetch
  /** The service on a socket. */
  listen(options?: ListenOptions): Promise<ListeningServer>
  /** Stops every listener, destroys answers in the middle, frees every file. */
  close(): Promise<void>
}

/** MB as the documents mean it is not said; decimal is the smaller reading of a maximum. */
const MAX_RANGE_BYTES = 100_000_000
const SANDBOX_MAX_RANGE_BYTES = 10_000_000

/** @throws FeedError OPTION_INVALID */
export function createEmulator(options: EmulatorOptions): Emulator {
  const world = 'itemsAt' in options.world ? options.world : createWorld(options.world)
  const clientId = options.clientId ?? 'feedmill-client'
  const clientSecret = options.clientSecret ?? 'feedmill-secret'
  const scopeBase = options.scopeBase ?? 'https://api.market.example/oauth'
  const now = clockOf(options.now ?? world.end)
  const cache = new FileCache(options.cache)
  const feedScope = `${scopeBase}/buy.item.feed`
  const lifetimeSeconds = positive('tokenLifetimeSeconds', options.tokenLifetimeSeconds ?? 7_200)
  const tokens = new TokenIssuer({ clientId, clientSecret, scopes: [feedScope, `${scopeBase}/api_scope`], lifetimeSeconds, now })
  const format = options.format ?? {}
  checkFileFormat(format)
  const feeds = new FeedService({
    world,
    now,
    bootstrapAt: wholeSecond(options.bootstrapAt ?? world.start),
    format,
    cache,
    tokens,
    scope: feedScope,
    marketplaceHeader: options.marketplaceHeader ?? 'X-MKT-C-MARKETPLACE-ID',
    marketplacePrefix: options.marketplacePrefix ?? 'MKT_',
    maxRangeBytes: positive('maxRangeBytes', options.maxRangeBytes ?? (options.sandbox ? SANDBOX_MAX_RANGE_BYTES : MAX_RANGE_BYTES)),
    headerForm: options.headerForm ?? 'documented',
    wrapErrors: options.wrapErrors ?? false,
  })
  const answer = createApp({ feeds, tokens })
  const servers: ListeningServer[] = []
  let closed = false
  return {
    world,
    clientId,
    clientSecret,
    scopeBase,
    tokenPath: TOKEN_PATH,
    feedBasePath: FEED_BASE_PATH,
    fetch: inProcessFetch(answer),
    listen: async listenOptions => {
      const server = await listen(answer, listenOptions)
      servers.push(server)
      if (closed) await server.close()
      return server
    },
    close: async () => {
      closed = true
      await Promise.all(servers.map(server => server.close()))
      await cache.close()
    },
  }
}

function clockOf(now: Date | (() => Date)): () => Date {
  return typeof now === 'function' ? now : () => now
}

function positive(option: string, value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value
  const expected = 'a whole number above 0'
  throw new FeedError('OPTION_INVALID', `${option} must be ${expected}`, { option, expected, received: String(value) })
}

/** Last-Modified has no smaller unit. */
function wholeSecond(time: Date): Date {
  if (time.getTime() % 1000 === 0) return time
  const expected = 'a time in whole seconds'
  throw new FeedError('OPTION_INVALID', `bootstrapAt must be ${expected}`, { option: 'bootstrapAt', expected, received: String(time) })
}
