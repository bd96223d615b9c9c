// The sections of the documents that show the peers, made from a report: everything on the page
// about speed, a few lines in the README.

import { goalText } from './goals'
import { TABLE_CASE_TITLES, type TableCase } from './macro/cases'
import { type BenchReport, type CaseResult, contenderText, feedText, roundsText } from './report'

/**
 * A part of a document that is made from a report. It stands between `<!-- mark -->` and `<!--
 * /mark -->`.
 */
export interface PeersSection {
  readonly path: string
  readonly mark: string
  readonly textOf: (report: BenchReport) => string
}

export const FULL_SECTION: PeersSection = {
  path: 'src/guide/speed.md',
  mark: 'bench:peers',
  textOf: fullText,
}
export const SUMMARY_SECTION: PeersSection = {
  path: 'README.md',
  mark: 'bench:summary',
  textOf: summaryText,
}
export const PEERS_SECTIONS: readonly PeersSection[] = [FULL_SECTION, SUMMARY_SECTION]

/** @throws RangeError where the document has no such section */
export function withSection(
  document: string,
  { mark, textOf }: PeersSection,
  report: BenchReport,
): string {
  const [opening, closing] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`]
  const [begin, end] = [document.indexOf(opening), document.indexOf(closing)]
  if (begin < 0 || end < begin)
    throw new RangeError(`there is no section from ${opening} to ${closing}`)
  return `${document.slice(0, begin + opening.length)}\n${textOf(report)}\n${document.slice(end)}`
}

/**
 * What an independent check measured on two cores, as multiples of node:zlib: data of the worst
 * shape, with varied aspects and every title quoted.
 */
const WORST_SHAPE: Readonly<Partial<Record<TableCase, number>>> = {
  'rows-5': 0.77,
  objects: 0.53,
  typed: 0.2,
}

/** What every page with figures states: what they were measured on. */
function machineLines(report: BenchReport): string[] {
  const { date, node, cpu, cores } = report.machine
  return [
    `\`npm run bench:peers\` measured this on ${date.slice(0, 10)} with Node ${node.slice(1)}, ${cpu}, ${cores} cores.`,
    `The file is the ${feedText(report)}.`,
    `The figures are medians of ${roundsText(report)}, each run in a new process.`,
  ]
}

/** The same, and that other data is slower. */
function dataLines(report: BenchReport): string[] {
  return [
    ...machineLines(report),
    'The figures depend on the data.',
    'Titles and aspects of the generated feed repeat more than those of a real one.',
    'Few of its cells are quoted.',
    'Varied data is slower to read.',
    `With varied aspects and every title quoted, an independent check measured \`rows-5\` at ${WORST_SHAPE['rows-5']} × node:zlib on two cores.`,
    'The figures also depend on the cores: more cores help the cases with a worker.',
    'Measure your own file with `feedmill bench --file`.',
  ]
}

function fullText(report: BenchReport): string {
  const versions = Object.entries(report.packages).map(([name, version]) => `${name} ${version}`)
  return [
    '![Speed of this package and its peers, the figures of the table below](../../bench/peers.svg)',
    '',
    ...dataLines(report),
    '',
    `The contenders are ${versions.join(', ')}.`,
    '',
    '| case | contender | MB/s | rows/s | CPU s | peak RSS MB | × `zlib` | result |',
    '|---|---|---|---|---|---|---|---|',
    ...report.cases.flatMap(({ name, contenders }) =>
      contenders.map((result, n) => lineOf(n === 0 ? titleOf(name) : '', result, report)),
    ),
    '',
    '| case | goal | measured | |',
    '|---|---|---|---|',
    ...report.goals.map(
      result =>
        `| \`${result.case}\` | ${result.goal} | ${result.measured} | ${goalText(result, '**missed**')} |`,
    ),
  ].join('\n')
}

const SUMMARY_CASES: readonly TableCase[] = ['rows-5', 'objects', 'typed']
const SUMMARY_CONTENDERS = ['feedmill', 'DuckDB', 'papaparse']

/**
 * MB/s of some cases and contenders, beside node:zlib, which only inflates, and beside what the worst
 * shape of data makes of this package's figures.
 */
function summaryText(report: BenchReport): string {
  const contendersOf = (wanted: TableCase) =>
    report.cases.find(({ name }) => name === wanted)?.contenders ?? []
  const zlib = contendersOf('zlib').map(({ mbPerSecond }) => `${mbPerSecond.toFixed(0)}`)
  const cellOf = (result: CaseResult | undefined) =>
    result === undefined ? '—' : summaryCell(result)
  return [
    '| MB/s of TSV (× node:zlib) | feedmill | its worst shape | DuckDB | papaparse | node:zlib, inflating only |',
    '|---|---|---|---|---|---|',
    ...SUMMARY_CASES.map(name => {
      const results = SUMMARY_CONTENDERS.map(wanted =>
        contendersOf(name).find(({ contender }) => contender === wanted),
      )
      const [ours, ...others] = results.map(cellOf)
      const worst = `(${WORST_SHAPE[name]?.toFixed(2)} ×)`
      return `| ${[titleOf(name), ours, worst, ...others, ...zlib].join(' | ')} |`
    }),
    '',
    'A contender that is marked as wrong reads some rows of this dialect differently.',
    ...machineLines(report),
    'Its titles and aspects repeat, and few of its cells are quoted, which is the best shape for feedmill.',
    'The worst shape has varied aspects and every title quoted; an independent check measured it on two cores of another machine.',
  ].join('\n')
}

function summaryCell({ ours, mbPerSecond, timesZlib, verdict }: CaseResult): string {
  const speed = ours ? `**${mbPerSecond.toFixed(0)}**` : mbPerSecond.toFixed(0)
  const times = timesZlib === undefined ? '' : ` (${timesZlib.toFixed(2)} ×)`
  return `${speed}${times}${verdict.right ? '' : ', **wrong**'}`
}

function titleOf(name: TableCase): string {
  return `\`${name}\` ${TABLE_CASE_TITLES[name]}`
}

function lineOf(name: string, result: CaseResult, report: BenchReport): string {
  const { ours, mbPerSecond, rowsPerSecond, cpuSeconds, peakRssMb, timesZlib } = result
  const contender = contenderText(result, report)
  const cells = [
    name,
    ours ? `**${contender}**` : contender,
    mbPerSecond.toFixed(0),
    rowsPerSecond === undefined ? '' : Math.round(rowsPerSecond).toLocaleString('en-US'),
    cpuSeconds.toFixed(2),
    peakRssMb.toFixed(0),
    timesZlib === undefined ? '' : timesZlib.toFixed(2),
    resultText(result.verdict),
  ]
  return `| ${cells.join(' | ')} |`
}

function resultText({ right, expectedCount, identicalRows }: CaseResult['verdict']): string {
  if (right) return 'right'
  return identicalRows === undefined
    ? '**wrong**'
    : `**wrong**: ${Math.floor((identicalRows / expectedCount) * 100)}% of rows right`
}
