// The command line of the macro benchmark.

import { parseArgs } from 'node:util'

export interface BenchOptions {
  /** Size of the file before compression, about, in 10^6 bytes. */
  readonly megabytes: number
  readonly rounds: number
  readonly seed: number
  /** Where the results go as JSON, besides the table. */
  readonly json: string | undefined
  /** Whether a missed floor fails the run. */
  readonly floor: boolean
}

export const USAGE = 'usage: npm run bench -- [--quick] [--mb N] [--rounds N] [--seed N] [--json FILE] [--no-floor]'

/** @throws TypeError of parseArgs, RangeError */
export function benchOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      mb: { type: 'string' },
      rounds: { type: 'string' },
      seed: { type: 'string', default: '1' },
      json: { type: 'string' },
      'no-floor': { type: 'boolean', default: false },
    },
  })
  const defaults = values.quick ? { megabytes: '20', rounds: '3' } : { megabytes: '200', rounds: '5' }
  return {
    megabytes: wholeNumber('--mb', values.mb ?? defaults.megabytes),
    rounds: wholeNumber('--rounds', values.rounds ?? defaults.rounds),
    seed: wholeNumber('--seed', values.seed),
    json: values.json,
    floor: !values['no-floor'],
  }
}

function wholeNumber(option: string, text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && value <= 100_000) return value
  throw new RangeError(`${option} must be a whole number from 1 to 100000, not ${text}`)
}
