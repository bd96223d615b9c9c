// Checks and completes the options of an emulator. The clock is an option. Options that a profile
// of the clients also has share their names and meaning with it.

import {
  type Check,
  type Clock,
  is,
  type OptionTable,
  optionInvalid,
  readOptions,
} from '../engine/index'
import { defineProfile, type ProfileOptions, type ServiceProfile } from '../service/index'
import { type AccessOptions, AccessRules } from './access-rules'
import type { CatalogOptions } from './catalog/catalog-options'
import type { FaultOptions } from './faults/fault'
import { type BootstrapSchedule, SNAPSHOT_LATENCY_MS } from './feeds/calendar'
import type { FileCacheOptions } from './feeds/file-cache'
import { checkFileFormat, type FileFormat } from './feeds/file-format'
import { HEADER_FORMS, type HeaderForm } from './feeds/requested-range'
import { HOUR_MS } from './world/item-life'
import { createWorld, type World } from './world/world'
import type { WorldOptions } from './world/world-options'

/** The options that a profile of the clients has too. */
const PROFILE_PARTS = {
  scopeBase: is.any,
  marketplaceHeader: is.any,
  marketplacePrefix: is.any,
  paths: is.any,
  scopes: is.any,
  lookBackParameter: is.any,
  limits: is.any,
  sandbox: is.any,
  maxRangeBytes: is.any,
}

type ProfilePart = keyof typeof PROFILE_PARTS

export interface EmulatorOptions extends Partial<Pick<ProfileOptions, ProfilePart>> {
  /** A world, or the options of a new one. */
  readonly world: World | WorldOptions
  /**
   * The clock of the service, fixed or running. It decides which files exist and when tokens
   * expire, and answers have its time as the header Date. Default: fixed at the moment when the snapshot of the world's last hour appears, an
   * hour after the world's end.
   */
  readonly now?: Clock
  /**
   * When the bootstrap files are made, in whole seconds. They show the state of this time, and it
   * is their Last-Modified. `daily` makes them at the end of each day of UTC-7, and they appear
   * with the files of that day. Default: once, at the start of the world.
   */
  readonly bootstrapAt?: BootstrapSchedule
  /** Large categories, whose daily files appear a day later. Default none. */
  readonly slowCategories?: readonly string[]
  /** The form of Range and Content-range. Default `documented`; `rfc9110` is for stock clients. */
  readonly headerForm?: HeaderForm
  /** Sends errors as `{"errors":[…]}` instead of the documented bare form. Default false. */
  readonly wrapErrors?: boolean
  /** Default: header spellings and unknown columns differ from file to file. */
  readonly format?: FileFormat
  /**
   * What the emulator keeps of the files that it has made. Default: the defaults of each option.
   */
  readonly cache?: FileCacheOptions
  /** Default `feedmill-client`. */
  readonly clientId?: string
  /** Default `feedmill-secret`. */
  readonly clientSecret?: string
  /** Default 7200. */
  readonly tokenLifetimeSeconds?: number
  /**
   * The number of requests after which a token counts as expired, so that a token expires in the
   * middle of a run under a clock that stands still. Default: no limit.
   */
  readonly tokenRequests?: number
  /** What the application may read. Default: everything. */
  readonly access?: AccessOptions
  /** What the feed catalog lists. Default: the defaults of each option. */
  readonly catalog?: CatalogOptions
  /**
   * The only status of error 210005. Default: 401 for a missing or invalid token, 403 for a token
   * without the needed scope.
   */
  readonly keyTokenErrorStatus?: 400 | 401 | 403
  /** The status of 195003 and 195015. Default 400. */
  readonly conflictStatus?: 400 | 409
  /**
   * Faults besides those that a request selects with its header `x-feedmill-fault`. Default none.
   */
  readonly faults?: FaultOptions
}

const EMULATOR = {
  ...PROFILE_PARTS,
  world: worldOf,
  now: [is.clockMs],
  bootstrapAt: [checkSchedule],
  slowCategories: [is.texts, []],
  headerForm: [is.choice(...HEADER_FORMS), 'documented'],
  wrapErrors: [is.flag, false],
  format: [(_option, format) => checkFileFormat(format), {}],
  cache: is.any,
  clientId: [is.filledText, 'feedmill-client'],
  clientSecret: [is.filledText, 'feedmill-secret'],
  tokenLifetimeSeconds: [is.wholeNumber(), 7_200],
  tokenRequests: [is.wholeNumber()],
  access: [(_option, access) => new AccessRules(access), {}],
  catalog: [is.any, {}],
  keyTokenErrorStatus: [oneStatus<400 | 401 | 403>(400, 401, 403)],
  conflictStatus: [oneStatus<400 | 409>(400, 409), 400],
  faults: is.any,
} satisfies OptionTable<EmulatorOptions>

/** The settings that the parts of the service share. */
export type EmulatorSettings = ReturnType<typeof emulatorSettings>

/** The header lines of real files differ too. */
const SERVED_FORMAT: FileFormat = { headerSpelling: 'varied', unknownColumns: 'varied' }

/** A placeholder for the origin. Only the paths of the addresses count. */
const ORIGIN = 'http://localhost'

/** @throws FeedError OPTION_INVALID */
export function emulatorSettings(given: EmulatorOptions) {
  const { world, now, bootstrapAt, format, ...options } = readOptions(given, EMULATOR)
  const clock = now ?? (() => world.end.getTime() - HOUR_MS + SNAPSHOT_LATENCY_MS)
  return {
    ...options,
    world,
    now: () => new Date(clock()),
    profile: profileOf(given),
    format: { ...SERVED_FORMAT, ...format },
    bootstrap: bootstrapAt ?? world.start,
    authorizationCode: 'feedmill-code',
  }
}

function worldOf(option: string, world: EmulatorOptions['world']): World {
  if (typeof world !== 'object' || world === null)
    throw optionInvalid(option, 'a World, or an object with its options', world)
  return 'itemsAt' in world ? world : createWorld(world)
}

/** Passes on only the options that a profile has. */
function profileOf(options: EmulatorOptions): ServiceProfile {
  const parts = Object.entries(options).filter(
    ([name, value]) => Object.hasOwn(PROFILE_PARTS, name) && value !== undefined,
  )
  return defineProfile({
    ...Object.fromEntries(parts),
    baseUrl: ORIGIN,
    scopeBase: options.scopeBase ?? 'https://api.market.example/oauth',
    tokenUrl: `${ORIGIN}/identity/v1/oauth2/token`,
  })
}

/** An undefined status stands for the default of each case. */
function oneStatus<S extends number>(...statuses: readonly S[]): Check<S> {
  return (option, status) => {
    if (statuses.includes(status)) return status
    throw optionInvalid(option, `one of ${statuses.join(', ')}`, status)
  }
}

/** Last-Modified has a resolution of one second. */
function checkSchedule(option: string, time: BootstrapSchedule): BootstrapSchedule {
  if (time === 'daily' || (time instanceof Date && time.getTime() % 1000 === 0)) return time
  throw optionInvalid(option, "a time in whole seconds, or 'daily'", time)
}
