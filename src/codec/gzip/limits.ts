// The caps against bombs, and what the content may be: defaults and checks of the options.

import { finiteNumber, flag } from '../../options'

export interface GzipLimits {
  /** Most bytes of output over all members. Default 1 TiB. */
  readonly maxOutputBytes: number
  /**
   * Highest ratio of output to compressed bytes over the file so far; looked at from 1 MiB of
   * output on. Default 250: feeds are near 5, deflate's own highest is 1032.
   */
  readonly maxRatio: number
  /**
   * Most gzip members in the file. Default 1,000,000, which are 65 GB in members of 64 KiB (as
   * bgzip makes them). A small member costs some microseconds whatever is in it, so a file of empty
   * ones would otherwise keep a processor busy for hours.
   */
  readonly maxMembers: number
  /**
   * Hands on content that is gzip again, instead of refusing it with GZIP_NESTED. Default false.
   */
  readonly allowNested: boolean
}

/** The name of a cap, as GZIP_LIMIT gives it. */
export type GzipCap = Exclude<keyof GzipLimits, 'allowNested'>

const TIB = 2 ** 40

/**
 * The options with their defaults. `Infinity` lifts a cap.
 *
 * @throws OPTION_INVALID
 */
export function gzipLimits(options: Partial<GzipLimits>): GzipLimits {
  const {
    maxOutputBytes = TIB,
    maxRatio = 250,
    maxMembers = 1_000_000,
    allowNested = false,
  } = options
  return {
    maxOutputBytes: finiteNumber('maxOutputBytes', maxOutputBytes, 1, Number.POSITIVE_INFINITY),
    maxRatio: finiteNumber('maxRatio', maxRatio, 1, Number.POSITIVE_INFINITY),
    maxMembers: finiteNumber('maxMembers', maxMembers, 1, Number.POSITIVE_INFINITY),
    allowNested: flag('allowNested', allowNested),
  }
}
