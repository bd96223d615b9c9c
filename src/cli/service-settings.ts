// The service that a command speaks to. Its profile comes from a file, from options and from the
// environment; so do the credentials. No command ever prints a credential.

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
  /** A JSON file with the options of a profile. Other options take precedence over it. */
  readonly profile?: string
  readonly baseUrl?: string
  readonly tokenUrl?: string
  readonly scopeBase?: string
  readonly sandbox?: boolean
  readonly allowHttp?: boolean
  readonly clientId?: string
  readonly clientSecret?: string
}

/** The environment variable for each option that the command line lacks. */
export const SERVICE_VARIABLES = {
  profile: 'FEEDMILL_PROFILE',
  baseUrl: 'FEEDMILL_BASE_URL',
  tokenUrl: 'FEEDMILL_TOKEN_URL',
  scopeBase: 'FEEDMILL_SCOPE_BASE',
  clientId: 'FEEDMILL_CLIENT_ID',
  clientSecret: 'FEEDMILL_CLIENT_SECRET',
} as const satisfies Partial<Record<keyof ServiceSettings, string>>

/**
 * Warns on standard error when the environment names a proxy that is not used.
 * @throws FeedError OPTION_INVALID, with the name of the option, never its value
 */
export function serviceOf(
  settings: ServiceSettings,
  options: FeedServiceOptions = {},
): FeedService {
  // A command passes all of its options, and only these belong to the profile.
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

/** Removes options without a value, so that they do not replace the values of the profile. */
function defined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== false),
  ) as Partial<T>
}
