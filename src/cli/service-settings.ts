// The service that a command speaks to: its profile from a file, options and the environment, and
// the credentials. Nothing here, and no command, ever prints a credential.

import { readFileSync } from 'node:fs'
import {
  createFeedService,
  defineProfile,
  FeedError,
  type FeedService,
  type FeedServiceOptions,
  fetchTransport,
  type ProfileOptions,
} from '../index'
import { environmentProxy } from './environment-proxy'

export interface ServiceSettings {
  /** A JSON file with the options of a profile; what is given beside it comes first. */
  readonly profile?: string
  readonly baseUrl?: string
  readonly tokenUrl?: string
  readonly scopeBase?: string
  readonly sandbox?: boolean
  readonly allowHttp?: boolean
  readonly clientId?: string
  readonly clientSecret?: string
}

/** Where each may come from when its option is not given. */
export const SERVICE_VARIABLES = {
  profile: 'FEEDMILL_PROFILE',
  baseUrl: 'FEEDMILL_BASE_URL',
  tokenUrl: 'FEEDMILL_TOKEN_URL',
  scopeBase: 'FEEDMILL_SCOPE_BASE',
  clientId: 'FEEDMILL_CLIENT_ID',
  clientSecret: 'FEEDMILL_CLIENT_SECRET',
} as const satisfies Partial<Record<keyof ServiceSettings, string>>

/**
 * Warns on standard error where the environment names a proxy that is not used.
 * @throws FeedError OPTION_INVALID, naming what is missing or wrong, never its value
 */
export function serviceOf(
  settings: ServiceSettings,
  options: FeedServiceOptions = {},
): FeedService {
  // A command hands over all of its options: only these are the profile's.
  const { profile, baseUrl, tokenUrl, scopeBase, sandbox, allowHttp, clientId, clientSecret } =
    settings
  const given = { baseUrl, tokenUrl, scopeBase, sandbox, allowHttp }
  const known: Partial<ProfileOptions> = {
    ...(profile === undefined ? {} : profileIn(profile)),
    ...defined(given),
  }
  const complete: ProfileOptions = {
    ...known,
    baseUrl: needed('baseUrl', known.baseUrl),
    tokenUrl: needed('tokenUrl', known.tokenUrl),
    scopeBase: needed('scopeBase', known.scopeBase),
  }
  const credentials = {
    clientId: needed('clientId', clientId),
    clientSecret: needed('clientSecret', clientSecret),
  }
  const { isUsed, warning } = environmentProxy()
  if (warning !== undefined) console.error(`feedmill: warning: ${warning}`)
  const transport = isUsed ? { transport: fetchTransport(request => fetch(request)) } : {}
  return createFeedService(defineProfile(complete), credentials, { ...transport, ...options })
}

function profileIn(path: string): Partial<ProfileOptions> {
  const wrong = (received: string, cause?: unknown) =>
    new FeedError(
      'OPTION_INVALID',
      `profile: ${path} ${received}`,
      { option: 'profile', expected: 'a file with a JSON object', received },
      { cause },
    )
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw wrong(
      cause instanceof SyntaxError ? 'is not JSON' : 'cannot be read',
      cause instanceof SyntaxError ? undefined : cause,
    )
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong('holds no object')
  return value
}

function needed(option: keyof typeof SERVICE_VARIABLES, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  const expected = `--${option.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}, or ${SERVICE_VARIABLES[option]} in the environment`
  throw new FeedError('OPTION_INVALID', `${option} is needed: ${expected}`, {
    option,
    expected,
    received: value === undefined ? 'nothing' : 'no text',
  })
}

/** What was not given must not hide what the profile says. */
function defined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== false),
  ) as Partial<T>
}
