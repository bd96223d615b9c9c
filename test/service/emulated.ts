// The clients over an emulated service in the same process, for tests.

import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator'
import {
  createFeedService,
  type FeedService,
  type FeedServiceOptions,
} from '../../src/service/feed-service'
import { type FetchLike, fetchTransport } from '../../src/service/http/fetch-transport'
import { defineProfile, type ProfileOptions } from '../../src/service/profile'
import { validated } from '../emulator/openapi-validation'

const ORIGIN = 'https://service.test'

export interface Emulated {
  readonly emulator: Emulator
  readonly service: FeedService
  /** The requests in order, as `METHOD path?query`. */
  readonly sent: string[]
}

export interface EmulatedOptions {
  readonly emulator?: Partial<EmulatorOptions>
  readonly profile?: Partial<ProfileOptions>
  readonly service?: FeedServiceOptions
  /** Intercepts the requests of the clients to the emulator. */
  readonly between?: (request: Request, forward: FetchLike) => Response | Promise<Response>
}

export function emulated(options: EmulatedOptions = {}): Emulated {
  const emulator = createEmulator({
    world: { seed: 7, items: 60, churn: 20, hours: 72 },
    ...options.emulator,
  })
  const fetch = validated(emulator, options.emulator)
  const sent: string[] = []
  const between = options.between ?? ((request, forward) => forward(request))
  const transport = fetchTransport(request => {
    const { pathname, search } = new URL(request.url)
    sent.push(`${request.method} ${pathname}${search}`)
    return between(request, fetch)
  })
  const { tokenPath, scopeBase, clientId, clientSecret } = emulator
  const profile = defineProfile({
    baseUrl: ORIGIN,
    tokenUrl: ORIGIN + tokenPath,
    scopeBase,
    ...options.profile,
  })
  const service = createFeedService(
    profile,
    { clientId, clientSecret },
    { transport, checks: 'forms', ...FAST, ...options.service },
  )
  return { emulator, service, sent }
}

/** A policy with short waits. */
export const FAST: FeedServiceOptions = {
  // Each wait counts as one millisecond, which gives five attempts.
  retry: { patienceMs: 4, backoffBaseMs: 1, backoffCapMs: 1, retryAfterCapMs: 5 },
  ranges: {},
}
