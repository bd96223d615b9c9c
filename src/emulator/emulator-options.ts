// What an emulator is made from, checked and completed. Its clock is injected; what a profile of the clients says, it says in the same words.

import { FeedError } from '../errors'
import { wholeNumber } from '../options'
import { defineProfile, type ProfileOptions, type ServiceProfile } from '../service/profile'
import { type AccessOptions, AccessRules } from './access-rules'
import { type BootstrapSchedule, SNAPSHOT_LATENCY_MS } from './calendar'
import type { CatalogOptions } from './catalog/catalog-part'
import type { FaultOptions } from './faults/fault-options'
import { checkFileFormat, type FileFormat } from './feed-file'
import type { FileCacheOptions } from './file-cache'
import { defaultSigningKeys, type SigningKeySeed } from './keys/signing-keys'
import type { NotificationOptions } from './notifications/notification-routes'
import type { HeaderForm } from './requested-range'
import { HOUR_MS } from './world/item-life'
import { createWorld, type World } from './world/world'
import type { WorldOptions } from './world/world-options'

/** What is taken over from the options of a profile. */
type ProfilePart = 'scopeBase' | 'marketplaceHeader' | 'marketplacePrefix' | 'paths' | 'scopes' | 'lookBackParameter' | 'limits'

export interface EmulatorOptions extends Partial<Pick<ProfileOptions, ProfilePart>> {
  /** A world, or what to make one from. */
  readonly world: World | WorldOptions
  /**
   * The service's clock, fixed or running: it says which files are there, and when tokens end. Default: fixed at the
   * moment when the snapshot of the world's last hour appears, an hour after the world's end.
   */
  readonly now?: Date | (() => Date)
  /**
   * When the bootstrap files were made, in whole seconds: the state that they show, and their Last-Modified. `daily`: anew at the end of
   * each day of UTC-7, and there as late as that day's files. Default: once, at the world's start.
   */
  readonly bootstrapAt?: BootstrapSchedule
  /** Categories so large that their daily files come a day later. Default none. */
  readonly slowCategories?: readonly string[]
  /** Ranges up to 10 MB in place of 100 MB. Default false. */
  readonly sandbox?: boolean
  /** The largest `end - start` of a range. Default 100 MB, or 10 MB with `sandbox`. */
  readonly maxRangeBytes?: number
  /** How ranges are read and told. Default `documented`; `rfc9110` is for stock clients. */
  readonly headerForm?: HeaderForm
  /** Sends errors as `{"errors":[…]}` in place of the documented bare form. Default false. */
  readonly wrapErrors?: boolean
  /** Default: header spellings and unknown columns that differ from file to file, no filters. */
  readonly format?: FileFormat
  readonly cache?: FileCacheOptions
  /** Default `feedmill-client`. */
  readonly clientId?: string
  /** Default `feedmill-secret`. */
  readonly clientSecret?: string
  /** Default 7200. */
  readonly tokenLifetimeSeconds?: number
  /** The code that the authorization code grant takes. Default `feedmill-code`. */
  readonly authorizationCode?: string
  /** Default `/identity/v1/oauth2/token`. */
  readonly tokenPath?: string
  /** Base path of the keys. Default `/developer/key_management/v1`. */
  readonly keysPath?: string
  /** Base path of the notifications. Default `/commerce/notification/v1`. */
  readonly notificationsPath?: string
  /** What the application may read. Default: everything. */
  readonly access?: AccessOptions
  readonly catalog?: CatalogOptions
  /** Default: one of each cipher, made when the world begins. */
  readonly signingKeys?: readonly SigningKeySeed[]
  /** The one status of 210005. Default: 401 for a token that is missing or not valid, 403 for one that is for something else. */
  readonly keyTokenErrorStatus?: 400 | 401 | 403
  readonly notifications?: NotificationOptions
  /** Faults beside those that a request asks for by its header `x-feedmill-fault`. Default none. */
  readonly faults?: FaultOptions
}

/** Everything that the parts of the service are told. */
export interface EmulatorSettings {
  readonly world: World
  readonly now: () => Date
  readonly profile: ServiceProfile
  readonly access: AccessRules
  readonly format: FileFormat
  readonly headerForm: HeaderForm
  readonly wrapErrors: boolean
  readonly bootstrap: BootstrapSchedule
  readonly slowCategories: readonly string[]
  readonly clientId: string
  readonly clientSecret: string
  readonly authorizationCode: string
  readonly tokenLifetimeSeconds: number
  readonly catalog: CatalogOptions
  readonly signingKeys: readonly SigningKeySeed[]
  readonly keyTokenErrorStatus: EmulatorOptions['keyTokenErrorStatus']
  readonly notifications: NotificationOptions
}

/** Real files differ in their header lines: so do these. */
const SERVED_FORMAT: FileFormat = { headerSpelling: 'varied', unknownColumns: 'varied' }

/** Where the service would be; of its addresses only the paths count. */
const ORIGIN = 'http://localhost'

/** @throws FeedError OPTION_INVALID */
export function emulatorSettings(options: EmulatorOptions): EmulatorSettings {
  const world = 'itemsAt' in options.world ? options.world : createWorld(options.world)
  const format = { ...SERVED_FORMAT, ...options.format }
  checkFileFormat(format)
  return {
    world,
    now: clockOf(options.now ?? new Date(world.end.getTime() - HOUR_MS + SNAPSHOT_LATENCY_MS)),
    profile: profileOf(options),
    access: new AccessRules(options.access),
    format,
    headerForm: options.headerForm ?? 'documented',
    wrapErrors: options.wrapErrors ?? false,
    bootstrap: checkSchedule(options.bootstrapAt ?? world.start),
    slowCategories: options.slowCategories ?? [],
    clientId: options.clientId ?? 'feedmill-client',
    clientSecret: options.clientSecret ?? 'feedmill-secret',
    authorizationCode: options.authorizationCode ?? 'feedmill-code',
    tokenLifetimeSeconds: wholeNumber('tokenLifetimeSeconds', options.tokenLifetimeSeconds ?? 7_200),
    catalog: options.catalog ?? {},
    signingKeys: options.signingKeys ?? defaultSigningKeys(world.start),
    keyTokenErrorStatus: options.keyTokenErrorStatus,
    notifications: options.notifications ?? {},
  }
}

const PROFILE_OPTIONS = [
  'marketplaceHeader',
  'marketplacePrefix',
  'paths',
  'scopes',
  'lookBackParameter',
  'limits',
  'sandbox',
  'maxRangeBytes',
] as const satisfies readonly (keyof ProfileOptions & keyof EmulatorOptions)[]

function profileOf(options: EmulatorOptions): ServiceProfile {
  const given = PROFILE_OPTIONS.filter(name => options[name] !== undefined).map(name => [name, options[name]])
  return defineProfile({
    ...Object.fromEntries(given),
    baseUrl: ORIGIN,
    scopeBase: options.scopeBase ?? 'https://api.market.example/oauth',
    tokenUrl: `${ORIGIN}${options.tokenPath ?? '/identity/v1/oauth2/token'}`,
    ...(options.keysPath === undefined ? {} : { keysBaseUrl: `${ORIGIN}${options.keysPath}` }),
    ...(options.notificationsPath === undefined ? {} : { notificationsBaseUrl: `${ORIGIN}${options.notificationsPath}` }),
  })
}

function clockOf(now: Date | (() => Date)): () => Date {
  return typeof now === 'function' ? now : () => now
}

/** Last-Modified has no unit below the second. */
function checkSchedule(time: BootstrapSchedule): BootstrapSchedule {
  if (time === 'daily' || time.getTime() % 1000 === 0) return time
  const expected = "a time in whole seconds, or 'daily'"
  throw new FeedError('OPTION_INVALID', `bootstrapAt must be ${expected}`, { option: 'bootstrapAt', expected, received: String(time) })
}
