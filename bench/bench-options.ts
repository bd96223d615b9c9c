// The command line of the macro benchmark: `bench`, and with --peers `bench:peers`.

import { parseArgs } from 'node:util'
import { SPEED_GOALS } from './goals'
import {
  MACRO_CASE_NAMES,
  type MacroCaseName,
  SHAPE_CASES,
  TABLE_CASE_NAMES,
  TABLE_CASES,
} from './macro/cases'
import { SHAPE_NAMES, type ShapeName } from './shapes/shape'

export interface BenchOptions {
  /** What is measured, in order; with each case what its goals compare it with. */
  readonly cases: readonly MacroCaseName[]
  /** The shapes of the file, each measured by itself. */
  readonly shapes: readonly ShapeName[]
  /** Size of the file before compression, about, in 10^6 bytes. */
  readonly megabytes: number
  /** The rounds of a contender for which there is time. */
  readonly rounds: number
  /** The time of the whole run, with the checks. Slow contenders run fewer rounds to keep it. */
  readonly minutes: number
  readonly seed: number
  /** Where the results go as JSON, besides the table: with several shapes a file for each. */
  readonly json: string | undefined
  /** Whether a missed goal fails the run. */
  readonly floor: boolean
}

export const USAGE =
  'usage: npm run bench | bench:peers -- [--quick] [--mb N] [--rounds N] [--minutes N] [--only CASE,…] [--shape NAME,…] [--seed N] [--json FILE] [--no-floor]'

/** Leaves two of the twelve minutes that a run may take at most. */
const DEFAULT_MINUTES = 10

/** This package beside the yardstick and the most used parser: what `bench` measures. */
const SHORT_CASES: readonly MacroCaseName[] = [
  'zlib',
  'inflate',
  'rows-5',
  'objects',
  'papaparse',
  'typed',
]

/** @throws TypeError of parseArgs, RangeError */
export function benchOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      peers: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      mb: { type: 'string' },
      rounds: { type: 'string' },
      minutes: { type: 'string', default: `${DEFAULT_MINUTES}` },
      only: { type: 'string' },
      shape: { type: 'string', default: 'repeating' },
      seed: { type: 'string', default: '1' },
      json: { type: 'string' },
      'no-floor': { type: 'boolean', default: false },
    },
  })
  const defaults = values.quick
    ? { megabytes: '20', rounds: '3' }
    : { megabytes: values.peers ? '400' : '200', rounds: values.peers ? '7' : '5' }
  const available = values.peers ? MACRO_CASE_NAMES : SHORT_CASES
  return {
    cases: values.only === undefined ? available : chosenCases(values.only),
    shapes: chosenShapes(values.shape),
    megabytes: wholeNumber('--mb', values.mb ?? defaults.megabytes),
    rounds: wholeNumber('--rounds', values.rounds ?? defaults.rounds),
    minutes: wholeNumber('--minutes', values.minutes),
    seed: wholeNumber('--seed', values.seed),
    json: values.json,
    // The goals are for long runs: on a small file warming up is a good part of the time.
    floor: !values['no-floor'] && !values.quick,
  }
}

/**
 * A case of the table with all its contenders and what its goals compare it with, a contender by
 * itself, or `own` for this package in the cases of every shape; the yardstick always.
 */
function chosenCases(list: string): MacroCaseName[] {
  const chosen = new Set<MacroCaseName>(['zlib'])
  for (const name of list.split(',')) {
    if (name === 'own') {
      for (const each of SHAPE_CASES) chosen.add(each)
      continue
    }
    const inTable = TABLE_CASE_NAMES.find(known => known === name)
    const single = MACRO_CASE_NAMES.find(known => known === name)
    if (inTable === undefined && single === undefined) {
      throw new RangeError(
        `--only must be of ${['own', ...new Set([...TABLE_CASE_NAMES, ...MACRO_CASE_NAMES])].join(', ')}, not ${name}`,
      )
    }
    for (const each of inTable === undefined ? [single!] : TABLE_CASES[inTable]) chosen.add(each)
    for (const goal of SPEED_GOALS) if (goal.case === inTable) chosen.add(goal.over)
  }
  return MACRO_CASE_NAMES.filter(name => chosen.has(name))
}

function chosenShapes(list: string): ShapeName[] {
  return list.split(',').map(name => {
    const known = SHAPE_NAMES.find(shape => shape === name)
    if (known !== undefined) return known
    throw new RangeError(`--shape must be of ${SHAPE_NAMES.join(', ')}, not ${name}`)
  })
}

/** @throws RangeError */
export function wholeNumber(option: string, text: string, least = 1, most = 100_000): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw new RangeError(`${option} must be a whole number from ${least} to ${most}, not ${text}`)
}
