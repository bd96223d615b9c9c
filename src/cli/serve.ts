// `feedmill serve`: starts the emulated service on a socket, and prints what a client in any
// language needs.

import { createEmulator, type Emulator } from '../emulator'
import type { ServeOptions } from './emulator-commands'
import { jsonText, print } from './output'
import { SERVICE_VARIABLES } from './service-settings'

/** The object that `--json` prints in one line. */
export interface ServeAddress {
  /** The base address, without a slash at its end: `baseUrl` of a service profile. */
  readonly url: string
  /** The token endpoint (RFC 6749), for client credentials and for an authorization code. */
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  /**
   * The beginning of scope names: a scope is `{scopeBase}/buy.item.feed`, `{scopeBase}/api_scope`.
   */
  readonly scopeBase: string
  /**
   * The code of a user who consented, for the authorization code grant. It can be used any number
   * of times.
   */
  readonly authorizationCode: string
  /** The `redirect_uri` to send with the code. The grant asks for one and accepts any. */
  readonly redirectUri: string
  /** The identifiers of the signing keys, for getSigningKey. */
  readonly signingKeyIds: readonly string[]
  /** Destinations for createSubscription, with their status. */
  readonly destinations: Emulator['destinations']
  /** Topics for createSubscription, with their schema versions and the scopes that they need. */
  readonly topics: Emulator['topics']
  readonly marketplaces: readonly string[]
  /** Top-level categories, the same in each marketplace. */
  readonly categories: readonly string[]
  /** The header that names the marketplace of a request. */
  readonly marketplaceHeader: string
  /** The fixed clock of the service, ISO 8601. */
  readonly now: string
  /** The largest `end - start` of one range, in bytes. */
  readonly maxRangeBytes: number
  /** The OpenAPI document. */
  readonly openapiUrl: string
}

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
export async function startService(
  options: Omit<ServeOptions, 'json'>,
): Promise<{ emulator: Emulator; address: ServeAddress }> {
  const { port, items, seed, marketplace, category, now, sandbox, headerForm, faults } = options
  const emulator = createEmulator({
    world: {
      seed,
      items,
      ...(marketplace && { marketplaces: marketplace }),
      ...(category && { categories: category }),
    },
    sandbox,
    headerForm,
    ...(now && { now }),
    ...(faults !== undefined && { faults: { rate: faults, seed } }),
  })
  const { url } = await emulator.listen({ port })
  return { emulator, address: addressOf(emulator, url) }
}

function addressOf(emulator: Emulator, url: string): ServeAddress {
  const { marketplaces, categories } = emulator.world.options
  return {
    url,
    tokenUrl: url + emulator.tokenPath,
    clientId: emulator.clientId,
    clientSecret: emulator.clientSecret,
    scopeBase: emulator.scopeBase,
    authorizationCode: emulator.authorizationCode,
    redirectUri: 'https://client.example/redirect',
    signingKeyIds: emulator.signingKeyIds,
    destinations: emulator.destinations,
    topics: emulator.topics,
    marketplaces,
    categories,
    marketplaceHeader: emulator.marketplaceHeader,
    now: emulator.now().toISOString(),
    maxRangeBytes: emulator.maxRangeBytes,
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
export function serviceVariables({
  url,
  tokenUrl,
  scopeBase,
  clientId,
  clientSecret,
}: Pick<ServeAddress, 'url' | 'tokenUrl' | 'scopeBase' | 'clientId' | 'clientSecret'>) {
  const values = { baseUrl: url, tokenUrl, scopeBase, clientId, clientSecret }
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      SERVICE_VARIABLES[name as keyof typeof values],
      value,
    ]),
  )
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
  const form = [
    '-d',
    'grant_type=client_credentials',
    '--data-urlencode',
    `scope=${scopeBase}/buy.item.feed`,
  ]
  return shellWords('curl', '-s', '-u', `${clientId}:${clientSecret}`, ...form, tokenUrl)
}

/** Quotes words for a POSIX shell. */
function shellWords(...words: readonly string[]): string {
  return words
    .map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ')
}
