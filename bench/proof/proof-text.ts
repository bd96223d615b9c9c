// The section of src/guide/proof.md: a row for each fault of `feedmill verify`, a column for each
// alternative, and why a cell is WRONG.

import type { MarkedSection } from '../peers-section'
import { ALTERNATIVES } from './alternatives'

/** From the worst to the best. */
const VERDICTS = ['WRONG', 'stuck', 'error', 'right'] as const
export type Verdict = (typeof VERDICTS)[number]

/** What a run has found; bench/proof/results.json has the published one. */
export interface Proof {
  /** ISO 8601. */
  readonly date: string
  readonly versions: readonly string[]
  /** The alternatives that are not in the table, each with the reason. */
  readonly left: readonly string[]
  readonly faults: readonly string[]
  readonly proven: readonly {
    readonly title: string
    /** For each fault, what became of it in each world. */
    readonly verdicts: Readonly<Record<string, readonly Verdict[]>>
  }[]
}

export const PROOF_SECTION: MarkedSection<Proof> = {
  path: 'src/guide/proof.md',
  mark: 'bench:proof',
  textOf: proofText,
}

/** What the JSON report of `feedmill verify` says of a round. */
export interface RoundEnd {
  readonly name: string
  readonly ok: boolean
  readonly exitCode: number | null
  readonly timedOut: boolean
}

/** A command that fails says so; one that ends well must have written the truth. */
export function verdictOf({ ok, exitCode, timedOut }: RoundEnd): Verdict {
  if (ok) return 'right'
  if (timedOut) return 'stuck'
  return exitCode === 0 ? 'WRONG' : 'error'
}

function proofText({ date, versions, left, faults, proven }: Proof): string {
  const reasons = proven.flatMap(({ title, verdicts }) =>
    faults
      .filter(fault => verdicts[fault]!.includes('WRONG'))
      .map(fault => `- **${title}**, \`${fault}\`: ${reasonOf(title, fault)}`),
  )
  return [
    `\`npm run bench:proof\` made this table on ${date.slice(0, 10)} with ${versions.join(', ')}.`,
    ...left.map(text => `Not in the table: ${text}.`),
    '',
    `| fault | ${proven.map(({ title }) => title).join(' | ')} |`,
    `|---|${proven.map(() => '---|').join('')}`,
    ...faults.map(
      fault =>
        `| \`${fault}\` | ${proven.map(({ verdicts }) => cellOf(verdicts[fault]!)).join(' | ')} |`,
    ),
    ...(reasons.length > 0 ? ['', 'Why a cell is WRONG:', '', ...reasons] : []),
  ].join('\n')
}

/** The worst verdict, and in how many worlds it was found where that is not all of them. */
function cellOf(verdicts: readonly Verdict[]): string {
  const worst = VERDICTS.find(verdict => verdicts.includes(verdict))!
  const count = verdicts.filter(verdict => verdict === worst).length
  const text = worst === 'WRONG' ? '**WRONG**' : worst
  return count === verdicts.length ? text : `${text} ${count} of ${verdicts.length}`
}

function reasonOf(title: string, fault: string): string {
  const alternative = ALTERNATIVES.find(each => each.title === title)
  return alternative?.wrong?.[fault] ?? 'not explained yet.'
}
