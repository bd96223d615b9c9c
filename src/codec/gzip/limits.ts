// The caps against bombs, and what the content may be: defaults and checks of the options.

import { FeedError } from '../../errors'

export interface GzipLimits {
  /** Most bytes of output over all members. Default 1 TiB. */
  readonly maxOutputBytes: number
  /**
   * Highest ratio of output to compressed bytes over the file so far; looked at from 1 MiB of output on. Default 250:
   * feeds are near 5, deflate's own highest is 1032.
   */
  readonly maxRatio: number
  /** Hands on content that is gzip again, instead of refusing it with GZIP_NESTED. Default false. */
  readonly allowNested: boolean
}

const TIB = 2 ** 40
const DEFAULTS: GzipLimits = { maxOutputBytes: TIB, maxRatio: 250, allowNested: false }

/**
 * The options with their defaults. `Infinity` lifts a cap.
 *
 * @throws OPTION_INVALID
 */
export function gzipLimits(options: Partial<GzipLimits>): GzipLimits {
  const { maxOutputBytes = DEFAULTS.maxOutputBytes, maxRatio = DEFAULTS.maxRatio, allowNested = DEFAULTS.allowNested } = options
  if (!(maxOutputBytes > 0)) throw invalid('maxOutputBytes', 'a number of bytes above 0', maxOutputBytes)
  if (!(maxRatio >= 1)) throw invalid('maxRatio', 'a number, at least 1', maxRatio)
  if (typeof allowNested !== 'boolean') throw invalid('allowNested', 'a boolean', allowNested)
  return { maxOutputBytes, maxRatio, allowNested }
}

function invalid(option: string, expected: string, value: unknown): FeedError {
  const received = String(value)
  return new FeedError('OPTION_INVALID', `${option} must be ${expected}, not ${received}`, { option, expected, received })
}
