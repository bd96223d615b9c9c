// `feedmill serve`: starts the emulated service on a socket, and prints what a client in any
// language needs.

import { createEmulator, type Emulator } from '../emulator'
import type { ServeOptions } from './emulator-commands'
import { given } from './given'
import { jsonText, print } from './output'
import { SERVICE_VARIABLES } from './service-settings'

/**
 * The service keeps snapshots for seven days, so a client that comes later than this cannot go on
 * from a bootstrap of the start.
 */
const MAX_HOURS_OF_ONE_BOOTSTRAP = 144

/** The object that `--json` prints in one line. */
export type ServeAddress = ReturnType<typeof addressOf>

/** Serves until SIGINT, SIGTERM, or the end of the parent process. */
export async function serve(options: ServeOptions): Promise<void> {
  const { emulator, address } = await startService(options)
  const stop = () => void emulator.close().then(() => process.exit())
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  process.once('disconnect', stop)
  try {
    await print(options.json ? jsonText(address) : serveLines(address, options))
  } catch (error) {
    await emulator.close()
    throw error
  }
}

/** @throws FeedError OPTION_INVALID, LISTEN_FAILED, DEPENDENCY_MISSING */
export async function startService(options: Omit<ServeOptions, 'json'>) {
  const { items, seed, shape, hours, marketplace: marketplaces, category: categories } = options
  const { port, now, sandbox, headerForm, faults } = options
  const emulator = createEmulator({
    world: { seed, items, shape, hours, ...given({ marketplaces, categories }) },
    ...(hours > MAX_HOURS_OF_ONE_BOOTSTRAP && { bootstrapAt: 'daily' as const }),
    sandbox,
    headerForm,
    ...given({ now }),
    ...(faults !== undefined && { faults: { rate: faults, seed } }),
  })
  const { url } = await emulator.listen({ port })
  return { emulator, address: addressOf(emulator, url) }
}

export function addressOf(emulator: Emulator, url: string) {
  const { marketplaces, categories } = emulator.world.options
  const { clientId, clientSecret, scopeBase, authorizationCode, signingKeyIds } = emulator
  const { destinations, topics, marketplaceHeader, maxRangeBytes } = emulator
  return {
    /** The base address, without a slash at its end: `baseUrl` of a service profile. */
    url,
    /** The token endpoint (RFC 6749), for client credentials and for an authorization code. */
    tokenUrl: url + emulator.tokenPath,
    clientId,
    clientSecret,
    /** The beginning of scope names, such as `{scopeBase}/buy.item.feed`. */
    scopeBase,
    /** The code of a user who consented, which can be used any number of times. */
    authorizationCode,
    /** The `redirect_uri` to send with the code. The grant asks for one and accepts any. */
    redirectUri: 'https://client.example/redirect',
    /** The identifiers of the signing keys, for getSigningKey. */
    signingKeyIds,
    /** Destinations for createSubscription, with their status. */
    destinations,
    /** Topics for createSubscription, with their schema versions and the scopes that they need. */
    topics,
    marketplaces,
    /** Top-level categories, the same in each marketplace. */
    categories,
    /** The header that names the marketplace of a request. */
    marketplaceHeader,
    /** The fixed clock of the service, ISO 8601. */
    now: emulator.now().toISOString(),
    /** The largest `end - start` of one range, in bytes. */
    maxRangeBytes,
    /** The OpenAPI document. */
    openapiUrl: `${url}/openapi.json`,
  }
}

/** The folder of the copy in the commands to copy. */
const STATE = 'feedmill-state'

/** Formats the address for a person, with commands to copy. */
export function serveLines(
  address: ServeAddress,
  { items, seed }: Pick<ServeOptions, 'items' | 'seed'>,
): string[] {
  const { url, tokenUrl, clientId, clientSecret, scopeBase, marketplaces, categories, now } =
    address
  return [
    `Serving ${items} items in each category, seed ${seed}, at ${url}. Ctrl-C stops.`,
    `marketplaces  ${marketplaces.join(', ')}`,
    `categories    ${categories.join(', ')}`,
    `clock         ${now}, standing still`,
    `tokens        ${tokenUrl}, scope ${scopeBase}/buy.item.feed`,
    `client        ${clientId}, secret ${clientSecret}`,
    `description   ${address.openapiUrl}`,
    '',
    'Tell the other commands where it is:',
    `  ${exportLine(address)}`,
    'List its files:',
    `  ${shellWords('npx', 'feedmill', 'catalog', 'files', '--marketplace', marketplaces[0]!)}`,
    `Keep a copy of it in the folder ${STATE}:`,
    `  ${syncLine(address)}`,
    'See how far the copy is:',
    `  ${shellWords('npx', 'feedmill', 'status', STATE, '--now', now)}`,
    'Get a token:',
    `  ${tokenLine(address)}`,
  ]
}

/** The variables of the environment that lead the other commands to the service. */
export function serviceVariables(address: ServeAddress) {
  return {
    [SERVICE_VARIABLES.baseUrl]: address.url,
    [SERVICE_VARIABLES.tokenUrl]: address.tokenUrl,
    [SERVICE_VARIABLES.scopeBase]: address.scopeBase,
    [SERVICE_VARIABLES.clientId]: address.clientId,
    [SERVICE_VARIABLES.clientSecret]: address.clientSecret,
  }
}

function exportLine(address: ServeAddress): string {
  const assignments = Object.entries(serviceVariables(address)).map(
    ([name, value]) => `${name}=${shellWords(value)}`,
  )
  return `export ${assignments.join(' ')}`
}

function syncLine({ marketplaces, categories, now }: ServeAddress): string {
  const what = ['--marketplace', marketplaces[0]!, ...categories.flatMap(id => ['--category', id])]
  return shellWords('npx', 'feedmill', 'sync', ...what, '--state', STATE, '--now', now)
}

function tokenLine({ tokenUrl, clientId, clientSecret, scopeBase }: ServeAddress): string {
  const form = ['-d', 'grant_type=client_credentials', '--data-urlencode']
  const scope = `scope=${scopeBase}/buy.item.feed`
  return shellWords('curl', '-s', '-u', `${clientId}:${clientSecret}`, ...form, scope, tokenUrl)
}

/** Quotes words for a POSIX shell. */
function shellWords(...words: readonly string[]): string {
  return words
    .map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ')
}
