// What `feedmill verify` prints: a table of all rounds, and for each wrong round what differs, what
// the service did in it, and what a program must do about that.

import { textTable } from '../text-table'
import { type CellExample, CLASSES, KINDS } from './compare-output'
import type { Round } from './fault-rounds'
import type { RoundResult } from './verify-round'

/** The rounds in their order with their results. */
export interface VerifyReport {
  readonly ok: boolean
  readonly rounds: readonly (Round & { readonly result: RoundResult })[]
  /** The rounds that did not run, because the baseline was wrong. */
  readonly left: readonly string[]
}

const HEADING = [
  'round',
  'lost',
  'doubled',
  'stale',
  'kept',
  'unknown',
  'wrong cells',
  'attempts',
  'exit',
  'seconds',
  'result',
]

export function verifyLines({ ok, rounds, left }: VerifyReport): string[] {
  const wrong = rounds.filter(({ result }) => !result.ok)
  return [
    ...textTable(
      HEADING,
      rounds.map(({ result }) => tableLine(result)),
    ),
    '',
    ...columnLines(rounds),
    ...wrong.flatMap(round => ['', ...wrongLines(round)]),
    '',
    ok
      ? `Right: all ${rounds.length} rounds end with the true state.`
      : `WRONG in ${wrong.length} of ${rounds.length} rounds: ${wrong.map(({ name }) => name).join(', ')}.`,
    ...(left.length > 0
      ? [`The command is wrong without any fault, so these rounds did not run: ${left.join(', ')}.`]
      : []),
  ]
}

/** Names what is wrong with a round, such as `3 items lost, 1 row doubled`. */
export function findings(result: RoundResult): string {
  const { differences, unreadable, exitCode, timedOut, attempts } = result
  const counts = KINDS.flatMap(kind => {
    const count = differences?.[kind] ?? 0
    const words = CLASSES[kind]
    return count === 0 ? [] : [`${count} ${count === 1 ? words.replace(/s\b/, '') : words}`]
  })
  const end = timedOut
    ? ['no end within the time limit']
    : exitCode === 0
      ? []
      : [`${exitText(exitCode)} after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`]
  return [...end, ...(unreadable === undefined ? [] : [unreadable]), ...counts].join(', ')
}

function exitText(exitCode: number | null): string {
  return exitCode === null ? 'killed by a signal' : `exit code ${exitCode}`
}

function tableLine(result: RoundResult): string[] {
  const { name, ok, differences, attempts, exitCode, timedOut, seconds } = result
  return [
    name,
    ...KINDS.map(kind => (differences === undefined ? '—' : String(differences[kind]))),
    String(attempts),
    timedOut ? 'time' : exitCode === null ? 'killed' : String(exitCode),
    seconds.toFixed(1),
    ok ? 'right' : 'WRONG',
  ]
}

function columnLines(rounds: VerifyReport['rounds']): string[] {
  const columns = rounds.find(({ result }) => result.columns)?.result.columns
  if (columns === undefined) return []
  const names = columns.compared.map(({ name }) => name)
  const lines = [`compared by itemId, ${names.length} columns: ${names.join(', ') || 'none'}`]
  if (columns.key === undefined) lines.push('the output has no column itemId')
  if (columns.structured.length > 0)
    lines.push(`not compared, because they hold objects: ${columns.structured.join(', ')}`)
  if (columns.unknown.length > 0)
    lines.push(
      `not compared, because item-feeds.md, section 2.2, has no such column: ${columns.unknown.join(', ')}`,
    )
  return lines
}

function wrongLines({ name, faults, result }: VerifyReport['rounds'][number]): string[] {
  const lines = [`${name}: ${findings(result)}`]
  if (name === 'baseline')
    lines.push('  The service has no fault in this round, so the program itself is wrong.')
  else if (name === 'together')
    lines.push('  The service has all of these faults; a program survives them in any order.')
  else
    for (const { does, must, source } of faults)
      lines.push(`  The service ${does}.`, `  The program must ${must} (${source}).`)
  return [...lines, ...exampleLines(result), ...printedLines(result)]
}

function exampleLines({ differences }: RoundResult): string[] {
  if (differences === undefined) return []
  return KINDS.flatMap(kind => {
    const examples = differences.examples[kind]
    return examples.length === 0 ? [] : [`  ${CLASSES[kind]}:`, ...examples.map(exampleLine)]
  })
}

function exampleLine(example: string | CellExample): string {
  if (typeof example === 'string') return `    ${example === '' ? 'a row without a key' : example}`
  const { itemId, column, expected, received } = example
  return `    ${itemId} ${column}: ${JSON.stringify(received)}, not ${JSON.stringify(expected)}`
}

const PRINTED_LINES = 8

function printedLines({ printed }: RoundResult): string[] {
  const lines = printed.trimEnd().split('\n').slice(-PRINTED_LINES)
  return printed.trim() === ''
    ? []
    : ['  the command printed at its end:', ...lines.map(line => `    ${line}`)]
}
