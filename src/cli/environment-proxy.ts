// Decides whether requests go through the proxy that the environment names. The fetch of Node uses
// it when NODE_USE_ENV_PROXY is set, in releases that know this variable. The HTTP client of Node
// with an agent of its own does not use it.

import { usageError } from './usage-error'

const ADDRESS_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']
const FLAG = '--use-env-proxy'
const SWITCH = 'NODE_USE_ENV_PROXY'

/** The variables that Node itself reads, for the help text. */
export const PROXY_VARIABLES: readonly (readonly [name: string, meaning: string])[] = [
  ['NODE_EXTRA_CA_CERTS', 'PEM file with further certificate authorities'],
  [
    'NODE_USE_ENV_PROXY=1',
    'go through the proxies of HTTPS_PROXY, HTTP_PROXY and NO_PROXY (Node 22.21 or later)',
  ],
]

/**
 * Returns whether requests go through a proxy, and a warning that names one which the environment
 * has and which is not used.
 * @param flags the flags that this release of Node knows
 * @param words the arguments of this process that Node itself reads
 * @throws FeedError OPTION_INVALID when a proxy is requested and this release of Node cannot use
 * one
 */
export function environmentProxy(
  env: Readonly<Record<string, string | undefined>> = process.env,
  flags: ReadonlySet<string> = process.allowedNodeEnvironmentFlags,
  words: readonly string[] = process.execArgv,
): { isUsed: boolean; warning?: string } {
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
  const [expected, here] = ['Node 22.21 or later', process.version]
  throw usageError(SWITCH, expected, here, `${SWITCH} needs ${expected}; this is ${here}`)
}
