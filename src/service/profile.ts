// The service profile: all settings in which one service of this family differs from another. The
// defaults come from service-notes.md, sections 2 and 3.

import {
  is,
  type OptionTable,
  optionInvalid,
  printableUrl,
  readOptions,
  requestUrl,
  sendableHeaders,
} from '../engine/index'
import { pathSegment } from './identifiers'
import { type Base, OPERATIONS, type OperationName } from './operations'

/** The limits of request parameters. The service does not state them in its answers. */
export interface RequestLimits {
  /** Default 20. */
  readonly pageSizeLeast: number
  /** Default 100. */
  readonly pageSizeMost: number
  /** Default 20. */
  readonly categoryIds: number
  /** Default 10. */
  readonly marketplaceIds: number
  /**
   * The age limit of daily files in days. Default 17: the service keeps 14 files, and the newest is
   * up to three days old.
   */
  readonly dailyDays: number
  /** The age limit of snapshot files in days. Default 7. */
  readonly snapshotDays: number
  /** The age limit of priority files in days. Default 14. */
  readonly priorityDays: number
}

export interface ServiceProfile extends Readonly<Record<Base, string>> {
  /** The base address of the catalog and the feeds. */
  readonly baseUrl: string
  /** The base address of getSigningKey. Default `{baseUrl}/developer/key_management/v1`. */
  readonly keysBaseUrl: string
  /** The base address of createSubscription. Default `{baseUrl}/commerce/notification/v1`. */
  readonly notificationsBaseUrl: string
  /** The token endpoint (OAuth 2.0). */
  readonly tokenUrl: string
  /** The start of all scope names, before `/buy.item.feed` and others. */
  readonly scopeBase: string
  /** The header that names the marketplace. Default `X-MKT-C-MARKETPLACE-ID`. */
  readonly marketplaceHeader: string
  /** The start of a marketplace identifier, before the country code. Default `MKT_`. */
  readonly marketplacePrefix: string
  /** The path of each operation after its base address. `{name}` stands for one segment. */
  readonly paths: Readonly<Record<OperationName, string>>
  /** The scope of each operation after `{scopeBase}/`. */
  readonly scopes: Readonly<Record<OperationName, string>>
  /** The query parameter of getFiles that holds minutes. Default `look_back`. */
  readonly lookBackParameter: string
  /** The limit of the service for one range. Default 100 MB, in the sandbox 10 MB. */
  readonly maxRangeBytes: number
  /** The limits of the parameters that requests are checked against. */
  readonly limits: RequestLimits
}

type Overridable = 'paths' | 'scopes' | 'limits'

/** The options of a profile. Three are required, the others have defaults. */
export interface ProfileOptions extends Partial<Omit<ServiceProfile, Overridable>> {
  readonly baseUrl: string
  readonly tokenUrl: string
  readonly scopeBase: string
  /** Paths of operations that differ from the documented ones. Default: none. */
  readonly paths?: Partial<ServiceProfile['paths']>
  /** Scopes of operations that differ from the documented ones. Default: none. */
  readonly scopes?: Partial<ServiceProfile['scopes']>
  /** Limits of parameters that differ from the documented ones. Default: none. */
  readonly limits?: Partial<RequestLimits>
  /** True for the sandbox of the service, which limits a range to 10 MB. Default false. */
  readonly sandbox?: boolean
  /**
   * Allows plain http to other machines, which sends tokens without encryption. Default false.
   */
  readonly allowHttp?: boolean
}

const LIMITS: RequestLimits = {
  pageSizeLeast: 20,
  pageSizeMost: 100,
  categoryIds: 20,
  marketplaceIds: 10,
  dailyDays: 17,
  snapshotDays: 7,
  priorityDays: 14,
}

/** 100 MB and 10 MB (item-feeds.md, section 6), read as decimal units, which are the smaller. */
const MAX_RANGE_BYTES = 100_000_000
const SANDBOX_MAX_RANGE_BYTES = 10_000_000

const OPTIONS = {
  baseUrl: is.any,
  keysBaseUrl: is.any,
  notificationsBaseUrl: is.any,
  tokenUrl: is.any,
  scopeBase: is.filledText,
  marketplaceHeader: [headerName, 'X-MKT-C-MARKETPLACE-ID'],
  marketplacePrefix: [is.any, 'MKT_'],
  paths: [checkedPaths, {}],
  scopes: [(_, scopes) => ({ ...defaults('scope'), ...scopes }), {}],
  lookBackParameter: [is.any, 'look_back'],
  maxRangeBytes: [is.wholeNumber()],
  limits: [checkedLimits, {}],
  sandbox: [is.any, false],
  allowHttp: [is.any, false],
} satisfies OptionTable<ProfileOptions>

/**
 * Returns a complete profile. Throws HTTP_HEADER_INVALID, and OPTION_INVALID, also for plain http
 * to another machine.
 *
 * @example
 * ```ts
 * import { defineProfile } from 'feedmill/service'
 *
 * const profile = defineProfile({
 *   baseUrl: 'https://api.example.com',
 *   tokenUrl: 'https://api.example.com/token',
 *   scopeBase: 'https://api.example.com/scope',
 * })
 * console.log(profile.marketplaceHeader, profile.maxRangeBytes)
 * // => X-MKT-C-MARKETPLACE-ID 100000000
 * ```
 */
export function defineProfile(options: ProfileOptions): ServiceProfile {
  const { sandbox, allowHttp, ...given } = readOptions(options, OPTIONS)
  const at = (option: string, value: string) => address(option, value, allowHttp)
  const baseUrl = at('baseUrl', given.baseUrl)
  return {
    ...given,
    baseUrl,
    tokenUrl: at('tokenUrl', given.tokenUrl),
    keysBaseUrl: at('keysBaseUrl', given.keysBaseUrl ?? `${baseUrl}/developer/key_management/v1`),
    notificationsBaseUrl: at(
      'notificationsBaseUrl',
      given.notificationsBaseUrl ?? `${baseUrl}/commerce/notification/v1`,
    ),
    scopeBase: given.scopeBase.replace(/\/$/, ''),
    maxRangeBytes: given.maxRangeBytes ?? (sandbox ? SANDBOX_MAX_RANGE_BYTES : MAX_RANGE_BYTES),
  }
}

/**
 * Returns the URL of an operation. Throws HTTP_IDENTIFIER_INVALID for an identifier that cannot be
 * one path segment.
 */
export function operationUrl(
  profile: ServiceProfile,
  operation: OperationName,
  identifiers: Readonly<Record<string, string>> = {},
  query: URLSearchParams = new URLSearchParams(),
): string {
  const path = profile.paths[operation].replace(/\{(\w+)\}/g, (_, name: string) =>
    pathSegment(name, identifiers[name] ?? ''),
  )
  const search = query.toString()
  return `${profile[OPERATIONS[operation].base]}${path}${search && `?${search}`}`
}

/** True for the addresses of this machine. */
function isLoopback({ hostname }: URL): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d+){3}$/.test(hostname)
  )
}

function address(option: string, value: string, allowHttp: boolean): string {
  is.filledText(option, value)
  const url = requestUrl(option, value)
  // A base address is continued by a path. The token endpoint may have a query, and no fragment
  // (RFC 6749, 3.2).
  if ((option === 'tokenUrl' ? /#/ : /[?#]/).test(value))
    throw optionInvalid(option, 'an address without query and fragment', printableUrl(url))
  if (url.protocol === 'https:' || allowHttp || isLoopback(url))
    return value.replace(/(?<!\/)\/+$/, '')
  throw optionInvalid(
    option,
    'an https address, because tokens are sent to it (allowHttp overrides)',
    printableUrl(url),
  )
}

function headerName(_option: string, name: string): string {
  sendableHeaders({ [name]: '' })
  return name
}

/**
 * Checks that each path has the variables of its default, because a request fills exactly these.
 */
function checkedPaths(
  option: string,
  given: Partial<ServiceProfile['paths']>,
): ServiceProfile['paths'] {
  const paths = { ...defaults('path'), ...given }
  for (const [name, path] of Object.entries(paths)) {
    const variables = variablesOf(OPERATIONS[name as OperationName].path)
    if (path.startsWith('/') && variablesOf(path) === variables) continue
    throw optionInvalid(
      `${option}.${name}`,
      `a path that begins with a slash and has ${variables || 'no variable'}`,
      path,
    )
  }
  return paths
}

function variablesOf(path: string): string {
  return (path.match(/\{\w+\}/g) ?? []).join(', ')
}

function checkedLimits(option: string, given: Partial<RequestLimits>): RequestLimits {
  const limits = { ...LIMITS, ...given }
  for (const [name, value] of Object.entries(limits)) is.wholeNumber()(`${option}.${name}`, value)
  return limits
}

function defaults<K extends 'path' | 'scope'>(field: K): Record<OperationName, string> {
  const entries = Object.entries(OPERATIONS).map(([name, spec]) => [name, spec[field]])
  return Object.fromEntries(entries) as Record<OperationName, string>
}
