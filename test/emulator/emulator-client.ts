// A plain client of the emulator for its own tests. It knows only the paths.

import type { Emulator, EmulatorOptions } from '../../src/emulator'
import { createEmulator } from '../../src/emulator'
import { validated } from './openapi-validation'

const FEED_SCOPE = 'https://api.market.example/oauth/buy.item.feed'

export interface Client {
  readonly emulator: Emulator
  /**
   * GET of a path below the feeds' base, with a token, the marketplace header and the given ones;
   * null removes a header.
   */
  get(path: string, headers?: Record<string, string | null>): Promise<Response>
}

export async function token(
  emulator: Emulator,
  origin = 'http://emulator',
  send: (request: Request) => Promise<Response> = emulator.fetch,
  scope = FEED_SCOPE,
) {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: emulator.clientId,
    client_secret: emulator.clientSecret,
    scope,
  })
  const response = await send(new Request(origin + emulator.tokenPath, { method: 'POST', body }))
  return ((await response.json()) as { access_token: string }).access_token
}

export async function client(options: Partial<EmulatorOptions> = {}): Promise<Client> {
  const emulator = createEmulator({
    world: { seed: 7, items: 30, churn: 20, hours: 72 },
    ...options,
  })
  const send = validated(emulator, options)
  const bearer = `Bearer ${await token(emulator)}`
  return {
    emulator,
    get: (path, headers = {}) => {
      const all: Record<string, string | null> = {
        authorization: bearer,
        'X-MKT-C-MARKETPLACE-ID': 'MKT_US',
        ...headers,
      }
      const present = Object.entries(all).filter(
        (entry): entry is [string, string] => entry[1] !== null,
      )
      return send(
        new Request(`http://emulator${emulator.feedBasePath}${path}`, {
          headers: Object.fromEntries(present),
        }),
      )
    },
  }
}

export async function bodyOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer())
}
