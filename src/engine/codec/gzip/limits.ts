// The caps against bombs and the rule for nested gzip: the options.

import { is, type OptionTable, readOptions } from '../../options'

export interface GzipLimits {
  /** The most bytes of output over all members. Default: 1 TiB. */
  readonly maxOutputBytes: number
  /**
   * The highest ratio of output bytes to compressed bytes over the file so far. It is checked from
   * 1 MiB of output on. Feeds are near 5, and deflate's own highest ratio is 1032. Default: 250.
   */
  readonly maxRatio: number
  /**
   * The most gzip members in the file. Default: 1,000,000, which is 65 GB in members of 64 KiB, as
   * bgzip makes them. A member is work whatever is in it, so a file of empty members would
   * otherwise keep a processor busy for hours.
   */
  readonly maxMembers: number
  /**
   * True to pass on content that is itself gzip, instead of refusing it with GZIP_NESTED. Default:
   * false.
   */
  readonly allowNested: boolean
}

const CAP = is.finiteNumber(1, Number.POSITIVE_INFINITY)

export const LIMITS = {
  maxOutputBytes: [CAP, 2 ** 40],
  maxRatio: [CAP, 250],
  maxMembers: [CAP, 1_000_000],
  allowNested: [is.flag, false],
} satisfies OptionTable<Partial<GzipLimits>>

/** The name of a cap, as it stands in the context of GZIP_LIMIT. */
export type GzipCap = Exclude<keyof GzipLimits, 'allowNested'>

/**
 * Returns the options with their defaults. `Infinity` removes a cap.
 *
 * @throws FeedError OPTION_INVALID
 */
export function gzipLimits(options: Partial<GzipLimits>): GzipLimits {
  return readOptions(options, LIMITS)
}

/** Below this size the ratio is not checked: a short run of equal rows is no bomb. */
const RATIO_CHECK_FROM_BYTES = 1024 * 1024

/** Returns the cap that the output of a file exceeds. */
export function exceededCap(
  { maxOutputBytes, maxRatio }: GzipLimits,
  outputBytes: number,
  compressedBytes: number,
): 'maxOutputBytes' | 'maxRatio' | undefined {
  if (outputBytes > maxOutputBytes) return 'maxOutputBytes'
  const passesRatio = outputBytes > maxRatio * compressedBytes
  return passesRatio && outputBytes > RATIO_CHECK_FROM_BYTES ? 'maxRatio' : undefined
}
