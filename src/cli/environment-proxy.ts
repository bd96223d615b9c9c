// Whether requests go through the proxy that the environment names. Node's own fetch does that when
// NODE_USE_ENV_PROXY asks for it, in releases that know it; Node's HTTP client with an agent of its
// own does not.

import { FeedError } from '../index'

const ADDRESS_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']
const FLAG = '--use-env-proxy'
const SWITCH = 'NODE_USE_ENV_PROXY'

/** For the help text; what Node itself makes of them. */
export const PROXY_VARIABLES: readonly (readonly [name: string, meaning: string])[] = [
  ['NODE_EXTRA_CA_CERTS', 'PEM file with further certificate authorities'],
  [
    'NODE_USE_ENV_PROXY=1',
    'go through the proxies of HTTPS_PROXY, HTTP_PROXY and NO_PROXY (Node 22.21 or later)',
  ],
]

export interface EnvironmentProxy {
  readonly isUsed: boolean
  /** Of an address that is there and not used. */
  readonly warning?: string
}

/**
 * @param flags that this release of Node knows
 * @param words of the command line of this process that Node itself reads
 * @throws FeedError OPTION_INVALID where a proxy is asked for and this release of Node cannot use
 * one
 */
export function environmentProxy(
  env: Readonly<Record<string, string | undefined>> = process.env,
  flags: ReadonlySet<string> = process.allowedNodeEnvironmentFlags,
  words: readonly string[] = process.execArgv,
): EnvironmentProxy {
  const address = ADDRESS_VARIABLES.find(name => env[name])
  if (address === undefined) return { isUsed: false }
  const isAsked =
    env[SWITCH] === '1' ||
    words.includes(FLAG) ||
    (env.NODE_OPTIONS ?? '').split(/\s+/).includes(FLAG)
  if (!isAsked)
    return {
      isUsed: false,
      warning: `${address} is not used; set ${SWITCH}=1 to go through that proxy (Node 22.21 or later)`,
    }
  if (flags.has(FLAG)) return { isUsed: true }
  const context = { option: SWITCH, expected: 'Node 22.21 or later', received: process.version }
  throw new FeedError(
    'OPTION_INVALID',
    `${SWITCH} needs ${context.expected}; this is ${context.received}`,
    context,
  )
}
