// Checks and completes the options that decide which requests meet a fault.

import {
  arrayOf,
  filledText,
  finiteNumber,
  flag,
  knownOptions,
  type OptionNames,
  optionInvalid,
  wholeNumber,
} from '../../engine/index'
import { FAULT_KINDS, type Fault, type FaultKind, isFaultKind, readFault } from './fault'

/** A fault for single routes. */
export interface FaultRule {
  /** A path; `*` stands for any text: `/buy/feed/v1_beta/item*`. */
  readonly route: string
  /** The fault in the words of the request header: `reset;after=1000;times=2`. */
  readonly fault: string
}

export interface FaultOptions {
  /**
   * The first rule that matches a request decides. The header of the request takes precedence over
   * it, and it takes precedence over the rate. Default none.
   */
  readonly rules?: readonly FaultRule[]
  /** The share of requests that meet a fault, from 0 to 1. Default 0. */
  readonly rate?: number
  /** Any whole number. It alone decides which requests meet a fault. Default 0. */
  readonly seed?: number
  /** The faults from which the rate draws. Default {@link PASSING_FAULTS}. */
  readonly kinds?: readonly FaultKind[]
  /**
   * Lets each file meet each kind of the rate at most once, so that a rate of 1 shows every kind to
   * every file and a client that tries again still comes to the end. A request for fewer than 1,024
   * bytes, with which some clients ask for the size, then meets none; `range-ignored`, `replaced`
   * and `truncated` wait for a request that does not begin at byte 0. Default false.
   */
  readonly oncePerFile?: boolean
  /**
   * The routes to which the rate applies, as in a rule. Default: the five operations that download
   * files.
   */
  readonly route?: string
  /** The number of latest faults that the log keeps. Default 1000. */
  readonly logEntries?: number
}

const FAULT_OPTIONS: OptionNames<FaultOptions> = {
  rules: true,
  rate: true,
  seed: true,
  kinds: true,
  oncePerFile: true,
  route: true,
  logEntries: true,
}
const RULE_OPTIONS: OptionNames<FaultRule> = { route: true, fault: true }

/**
 * Faults that a client can survive: after each of them, the same request or a request for the rest
 * continues the same file.
 */
export const PASSING_FAULTS: readonly FaultKind[] = [
  'latency',
  'stall',
  'reset',
  'short',
  'extra',
  '401',
  '429',
  '500',
  '503',
]

type RoutePattern = (path: string) => boolean

export interface FaultSettings {
  readonly rules: readonly { readonly matches: RoutePattern; readonly fault: Fault }[]
  readonly rate: number
  readonly seed: number
  readonly kinds: readonly FaultKind[]
  readonly oncePerFile: boolean
  readonly ratedRoute: RoutePattern
  readonly logEntries: number
}

/**
 * `downloads` are the routes of the operations that download files.
 * @throws FeedError OPTION_INVALID
 */
export function faultSettings(
  downloads: readonly string[],
  options: FaultOptions = {},
): FaultSettings {
  const {
    rules = [],
    rate = 0,
    seed = 0,
    kinds = PASSING_FAULTS,
    oncePerFile = false,
    route,
    logEntries = 1_000,
  } = knownOptions(options, FAULT_OPTIONS, 'faults')
  finiteNumber('faults.rate', rate, 0, 1)
  wholeNumber('faults.seed', seed, Number.MIN_SAFE_INTEGER)
  const areKinds = arrayOf('faults.kinds', kinds).length > 0 && kinds.every(isFaultKind)
  if (!areKinds)
    throw optionInvalid('faults.kinds', `an array of some of ${FAULT_KINDS.join(', ')}`, kinds)
  wholeNumber('faults.logEntries', logEntries, 0)
  const rated = (route === undefined ? downloads : [filledText('faults.route', route)]).map(
    routePattern,
  )
  const readRules = arrayOf('faults.rules', rules).map(readRule)
  return {
    rules: readRules,
    rate,
    seed,
    kinds,
    oncePerFile: flag('faults.oncePerFile', oncePerFile),
    ratedRoute: path => rated.some(matches => matches(path)),
    logEntries,
  }
}

function readRule(rule: FaultRule): FaultSettings['rules'][number] {
  const { route, fault } = knownOptions(rule, RULE_OPTIONS, 'faults.rules[]')
  return {
    matches: routePattern(filledText('route', route)),
    fault: readFault(filledText('fault', fault), 'faults.rules'),
  }
}

function routePattern(route: string): RoutePattern {
  const parts = route.split('*').map(part => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  const pattern = new RegExp(`^${parts.join('.*')}$`)
  return path => pattern.test(path)
}
