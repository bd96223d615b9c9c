// The smallest change that a comparison finds, told from its first rounds.

import type { Judgement } from './judge'
import { studentQuantile, trimmedFreedom } from './trimmed-mean'

/**
 * Nine of ten comparisons find the change: Student's quantile of nine tenths on one side holds
 * eight tenths on both.
 */
const FOUND_LEVEL = 0.8

export interface RoundsToCome {
  /** The rounds that were judged. */
  readonly rounds: number
  /** The rounds of the whole comparison. */
  readonly planned: number
  /** The confidence of its intervals. */
  readonly level: number
  /** A smaller difference of the medians, in the unit of the measure, is never a change. */
  readonly floor: number
}

/**
 * Returns the share of change that a comparison of `planned` rounds finds in nine of ten cases, if
 * the later rounds are as noisy as the first ones. Few rounds do not show well how large the noise is,
 * which makes their intervals wide. The prediction narrows these by the number of rounds alone, so
 * that more rounds never find less.
 */
export function smallestChange(
  { change, noise, base }: Pick<Judgement, 'change' | 'noise' | 'base'>,
  { rounds, planned, level, floor }: RoundsToCome,
): number {
  const freedom = trimmedFreedom(rounds)
  const reach = (Math.log1p(change.high) - Math.log1p(change.low)) / 2
  const standardError = reach / studentQuantile(level, freedom)
  const seen = Math.max(reach, Math.log1p(noise))
  const found = seen + studentQuantile(FOUND_LEVEL, freedom) * standardError
  return Math.max(Math.expm1(found * Math.sqrt(rounds / planned)), floor / base)
}
