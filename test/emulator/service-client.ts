// A plain client of the whole emulated service. It gets tokens, and compares every answer with the
// OpenAPI document.

import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator'
import { token } from './emulator-client'
import { validated } from './openapi-validation'

export interface ServiceClient {
  readonly emulator: Emulator
  /**
   * Sends a request to a path of the service, with a token of the application for all scopes; null
   * removes a header.
   */
  send(path: string, headers?: Record<string, string | null>, init?: RequestInit): Promise<Response>
  /** Sends a JSON body to a path. */
  post(path: string, body: unknown, headers?: Record<string, string | null>): Promise<Response>
  /** `Bearer …` for these scopes, named without their base. */
  bearer(...scopes: string[]): Promise<string>
  /** `Bearer …` by a user's consent. */
  userBearer(): Promise<string>
}

const ORIGIN = 'http://emulator'

export async function serviceClient(
  options: Partial<EmulatorOptions> = {},
): Promise<ServiceClient> {
  const emulator = createEmulator({
    world: { seed: 7, items: 200, churn: 20, hours: 72 },
    ...options,
  })
  const fetch = validated(emulator, options)
  const bearer = async (...scopes: string[]) => {
    return `Bearer ${await token(emulator, ORIGIN, fetch, scopes.map(scope => `${emulator.scopeBase}/${scope}`).join(' '))}`
  }
  const everything = await bearer('buy.item.feed', 'api_scope')
  const marketplaceHeader = options.marketplaceHeader ?? 'X-MKT-C-MARKETPLACE-ID'
  const send: ServiceClient['send'] = (path, headers = {}, init = {}) => {
    const all = {
      authorization: everything,
      [marketplaceHeader]: emulator.world.options.marketplaces[0]!,
      ...headers,
    }
    const present = Object.entries(all).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    )
    return fetch(new URL(path, ORIGIN), { ...init, headers: Object.fromEntries(present) })
  }
  return {
    emulator,
    send,
    post: (path, body, headers = {}) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      return send(
        path,
        { 'content-type': 'application/json', ...headers },
        { method: 'POST', body: text },
      )
    },
    bearer,
    userBearer: async () => `Bearer ${await userToken(emulator, fetch)}`,
  }
}

async function userToken(
  emulator: Emulator,
  fetch: ServiceClient['emulator']['fetch'],
): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: emulator.authorizationCode,
    redirect_uri: 'https://app.example/back',
    client_id: emulator.clientId,
    client_secret: emulator.clientSecret,
  })
  const response = await fetch(ORIGIN + emulator.tokenPath, { method: 'POST', body })
  return ((await response.json()) as { access_token: string }).access_token
}

/** Status and service code of a refusal, in both forms of the body. */
export async function refusalIn(
  response: Response,
): Promise<[status: number, errorId: number | undefined]> {
  const body = (await response.json()) as { errorId?: number; errors?: { errorId: number }[] }
  return [response.status, body.errors?.[0]?.errorId ?? body.errorId]
}
