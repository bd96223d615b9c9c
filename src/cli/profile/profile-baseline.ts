// Compares a result with an earlier one, the baseline: whether both measured the same thing, and
// whether the new one is slower.

import { readFile } from 'node:fs/promises'
import { machineDifferences } from '../../bench/index'
import { FeedError } from '../../index'
import { type ProfileResult, type ProfileSubject, RESULT_VERSION } from './profile-result'

export interface Comparison {
  /** The relative change of the throughput: new divided by old, minus 1. */
  readonly change: number
  readonly tolerance: number
  /** The larger spread of the rounds of both results. A smaller change means nothing. */
  readonly noise: number
  /**
   * `slower` only where throughput fell by more than the tolerance and by more than the noise;
   * `unclear` where it fell by more than the tolerance, but not by more than the noise.
   */
  readonly verdict: 'held' | 'slower' | 'unclear'
  readonly baseline: Pick<ProfileResult, 'machine' | 'totals'>
  /** The properties in which the machine of the baseline differs. */
  readonly warnings: readonly string[]
}

/**
 * @throws OPTION_INVALID when the file cannot be read, is not the result of a profile, or measured
 * something else
 */
export async function readBaseline(path: string, subject: ProfileSubject): Promise<ProfileResult> {
  const baseline = parsed(path, await textOf(path))
  const other = differences(baseline, subject)
  if (other !== undefined) throw refused(path, `it is of ${other}`)
  return baseline
}

/** @param tolerance the share of the throughput that may be lost */
export function compare(
  baseline: ProfileResult,
  result: ProfileResult,
  tolerance: number,
): Comparison {
  const change = result.totals.mbPerSecond / baseline.totals.mbPerSecond - 1
  const noise = Math.max(baseline.totals.spread, result.totals.spread)
  const verdict = -change <= tolerance ? 'held' : -change > noise ? 'slower' : 'unclear'
  const { machine, totals } = baseline
  return {
    change,
    tolerance,
    noise,
    verdict,
    baseline: { machine, totals },
    warnings: machineDifferences(machine, result.machine).map(
      difference => `the baseline was made on another machine: ${difference}`,
    ),
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw refused(path, String(error))
  }
}

function parsed(path: string, text: string): ProfileResult {
  let value: Partial<ProfileResult> | null
  try {
    value = JSON.parse(text) as Partial<ProfileResult> | null
  } catch {
    throw refused(path, 'it is not JSON')
  }
  if (value?.kind !== 'feedmill-profile') throw refused(path, 'it is not the result of a profile')
  if (value.version !== RESULT_VERSION)
    throw refused(path, `it has version ${value.version}, and this command reads ${RESULT_VERSION}`)
  const { totals, machine, file } = value
  const figures = totals && [totals.mbPerSecond, totals.spread, totals.cpuSeconds, totals.peakRssMb]
  if (!file || !machine || !figures?.every(Number.isFinite))
    throw refused(path, 'it is not complete')
  return value as ProfileResult
}

function differences(
  baseline: ProfileSubject,
  { file, feed, schema, reading }: ProfileSubject,
): string | undefined {
  if (baseline.file.sha256 !== file.sha256)
    return `another file (${baseline.file.path}, ${baseline.file.bytes} bytes)`
  if (baseline.feed !== feed) return `a file read as ${baseline.feed}, not as ${feed}`
  if (baseline.schema?.sha256 !== schema?.sha256) return 'a file read with another schema'
  if (baseline.reading !== reading)
    return `another case (--read ${baseline.reading}, not ${reading})`
  return undefined
}

function refused(path: string, reason: string): FeedError {
  const expected = 'a result of `feedmill profile --save` for the same file, feed, schema and cells'
  return new FeedError('OPTION_INVALID', `${path} cannot be the baseline: ${reason}`, {
    option: '--baseline',
    expected,
    received: reason,
  })
}
