// The service that a command speaks to. Its profile comes from a file, from options and from the
// environment. Credentials come from a file or from the environment, and never from an argument,
// because every user of a machine can read the arguments of its processes. No command ever prints a
// credential.

import { fetchTransport } from '../index'
import {
  type ClientCredentials,
  createFeedService,
  defineProfile,
  type FeedService,
  type FeedServiceOptions,
  type ProfileOptions,
} from '../service'
import { option, type Values } from './command-options'
import { environmentProxy } from './environment-proxy'
import { given } from './given'
import { jsonFile, secretJsonFile } from './json-file'
import { printError } from './output'
import { usageError } from './usage-error'

/** The environment variables for what the arguments of a command lack. */
export const SERVICE_VARIABLES = {
  profile: 'FEEDMILL_PROFILE',
  baseUrl: 'FEEDMILL_BASE_URL',
  tokenUrl: 'FEEDMILL_TOKEN_URL',
  scopeBase: 'FEEDMILL_SCOPE_BASE',
  credentials: 'FEEDMILL_CREDENTIALS',
  clientId: 'FEEDMILL_CLIENT_ID',
  clientSecret: 'FEEDMILL_CLIENT_SECRET',
} as const

/** The options of the commands that speak to a service. Credentials are never options. */
export const SERVICE_OPTIONS = [
  option('--profile <file>', 'JSON file with the options of a service profile', {
    env: SERVICE_VARIABLES.profile,
  }),
  option('--base-url <url>', 'address of the service', { env: SERVICE_VARIABLES.baseUrl }),
  option('--token-url <url>', 'address of the token endpoint', { env: SERVICE_VARIABLES.tokenUrl }),
  option('--scope-base <url>', 'beginning of the names of scopes', {
    env: SERVICE_VARIABLES.scopeBase,
  }),
  option(
    '--credentials <file>',
    'JSON file with clientId and clientSecret that only you can read',
    { env: SERVICE_VARIABLES.credentials },
  ),
  option('--sandbox', 'limit ranges to 10 MB instead of 100 MB'),
  option('--allow-http', 'accept plain http to other machines'),
] as const

export type ServiceSettings = Values<typeof SERVICE_OPTIONS>

/** The variable with the access token of a user, for `subscriptions create --user`. */
export const USER_TOKEN_VARIABLE = 'FEEDMILL_USER_TOKEN'

/** The variables of credentials, for the help text. */
export const CREDENTIAL_VARIABLES: readonly (readonly [name: string, meaning: string])[] = [
  [SERVICE_VARIABLES.credentials, 'the file of --credentials, which comes first'],
  [SERVICE_VARIABLES.clientId, 'client identifier'],
  [SERVICE_VARIABLES.clientSecret, 'client secret'],
]

/**
 * Warns on standard error when the environment names a proxy that is not used.
 * @throws FeedError OPTION_INVALID, with the name of the option, never its value
 */
export function serviceOf(
  settings: ServiceSettings,
  options: FeedServiceOptions = {},
  env = process.env,
): FeedService {
  // A command passes all of its options, and only these belong to the profile.
  const { profile, baseUrl, tokenUrl, scopeBase, sandbox, allowHttp } = settings
  const known: Partial<ProfileOptions> = {
    ...(profile === undefined ? {} : jsonFile('profile', profile)),
    ...given({ baseUrl, tokenUrl, scopeBase }),
    ...(sandbox && { sandbox }),
    ...(allowHttp && { allowHttp }),
  }
  const complete: ProfileOptions = {
    ...known,
    baseUrl: needed('baseUrl', known.baseUrl),
    tokenUrl: needed('tokenUrl', known.tokenUrl),
    scopeBase: needed('scopeBase', known.scopeBase),
  }
  const credentials = credentialsOf(settings, env)
  const { isUsed, warning } = environmentProxy()
  if (warning !== undefined) printError(`feedmill: warning: ${warning}`)
  const transport = isUsed ? { transport: fetchTransport(request => fetch(request)) } : {}
  return createFeedService(defineProfile(complete), credentials, { ...transport, ...options })
}

/** The file holds both values or fails: a pair is never made of two places. */
function credentialsOf({ credentials: path }: ServiceSettings, env: NodeJS.ProcessEnv) {
  const file: Partial<ClientCredentials> | undefined =
    path === undefined ? undefined : secretJsonFile('credentials', path)
  const credential = (name: keyof ClientCredentials) => {
    if (file !== undefined) return text(name, file[name], `the field ${name} in ${path}`)
    const variable = SERVICE_VARIABLES[name]
    return text(name, env[variable], `${variable} in the environment, or --credentials FILE`)
  }
  return { clientId: credential('clientId'), clientSecret: credential('clientSecret') }
}

function needed(option: 'baseUrl' | 'tokenUrl' | 'scopeBase', value: unknown): string {
  const words = option.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
  return text(option, value, `--${words}, or ${SERVICE_VARIABLES[option]} in the environment`)
}

function text(option: string, value: unknown, expected: string): string {
  if (typeof value === 'string' && value !== '') return value
  const received = value === undefined ? 'nothing' : 'no text'
  throw usageError(option, expected, received, `${option} is needed: ${expected}`)
}
