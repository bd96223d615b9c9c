// The command line of the comparison.

import { parseArgs } from 'node:util'
import { wholeNumber } from '../bench-options'
import { COMPARED_CASES, type ComparedCase } from './compared-cases'

export interface CompareOptions {
  /** A commit by any name that git knows. */
  readonly base: string
  readonly cases: readonly ComparedCase[]
  readonly rounds: number
  /** Size of the measured file before compression, about, in 10^6 bytes. */
  readonly megabytes: number
  /** How often, at most, a comparison of equal builds may fail. */
  readonly alpha: number
  /** Where the head's figures go, as JSON and as text. */
  readonly json: string | undefined
  readonly text: string | undefined
}

export const USAGE =
  'usage: npm run bench:compare -- --base REF [--rounds N] [--mb N] [--cases a,b] [--alpha 0.05] [--json FILE] [--text FILE]'

/**
 * All orders of three sides, three times (see side-orders.ts). At the noise that was measured, one
 * case alone shows a tenth more in 99 of 100.
 */
export const DEFAULT_ROUNDS = 18
/** In shorter runs warming up, which varies most, is too great a part. */
const DEFAULT_MEGABYTES = 40
export const DEFAULT_ALPHA = 0.05
/** All orders once. */
const LEAST_ROUNDS = 6

/** @throws TypeError of parseArgs, RangeError */
export function compareOptions(args: readonly string[]): CompareOptions {
  const text = { type: 'string' } as const
  const options = { base: text, rounds: text, mb: text, cases: text, alpha: text, json: text, text }
  const { values } = parseArgs({ args: [...args], options })
  if (values.base === undefined)
    throw new RangeError('--base REF is missing: what should the working tree be compared with?')
  return {
    base: values.base,
    cases: values.cases === undefined ? COMPARED_CASES : comparedCases(values.cases),
    rounds: wholeNumber('--rounds', values.rounds ?? `${DEFAULT_ROUNDS}`, LEAST_ROUNDS),
    megabytes: wholeNumber('--mb', values.mb ?? `${DEFAULT_MEGABYTES}`),
    alpha: share('--alpha', values.alpha ?? `${DEFAULT_ALPHA}`),
    json: values.json,
    text: values.text,
  }
}

function comparedCases(list: string): ComparedCase[] {
  return [...new Set(list.split(','))].map(name => {
    const known = COMPARED_CASES.find(candidate => candidate === name)
    if (known === undefined)
      throw new RangeError(`--cases must be of ${COMPARED_CASES.join(', ')}, not ${name}`)
    return known
  })
}

function share(option: string, text: string): number {
  const value = Number(text)
  if (value > 0 && value < 1) return value
  throw new RangeError(`${option} must be a number between 0 and 1, not ${text}`)
}
