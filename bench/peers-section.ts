// The sections of the documents that show the peers, made from the published reports: everything on
// the page about speed, a few lines in the README. Each report is of one shape of files, on one core or
// on more. The first one is the one that the README shows and that the picture is drawn from.

import { goalText } from './goals'
import { SHAPE_CASES, TABLE_CASE_TITLES, type TableCase } from './macro/cases'
import { type BenchReport, type CaseResult, contenderText, feedText, roundsText } from './report'

/** The published reports, at least one. */
export type Reports = readonly [BenchReport, ...BenchReport[]]

/**
 * A part of a document that is made from results. It stands between `<!-- mark -->` and `<!-- /mark
 * -->`.
 */
export interface MarkedSection<R> {
  readonly path: string
  readonly mark: string
  readonly textOf: (results: R) => string
}
export type PeersSection = MarkedSection<Reports>

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

const SUMMARY_CASES: readonly TableCase[] = ['rows-5', 'objects', 'typed', 'columns']
const SUMMARY_CONTENDERS = ['feedmill', 'DuckDB', 'papaparse']

/** @throws RangeError where the document has no such section */
export function withSection<R>(
  document: string,
  { mark, textOf }: MarkedSection<R>,
  results: R,
): string {
  const [opening, closing] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`]
  const [begin, end] = [document.indexOf(opening), document.indexOf(closing)]
  if (begin < 0 || end < begin)
    throw new RangeError(`there is no section from ${opening} to ${closing}`)
  return `${document.slice(0, begin + opening.length)}\n${textOf(results)}\n${document.slice(end)}`
}

/** What every page with figures states: what they were measured on. */
function machineLines(report: BenchReport): string[] {
  const { date, node, cpu, cores } = report.machine
  return [
    `\`npm run bench:peers\` measured this on ${date.slice(0, 10)} with Node ${node.slice(1)}, ${cpu}, ${coresText(cores)}.`,
    `The file is the ${feedText(report)}.`,
    `The figures are medians of ${roundsText(report)}, each run in a new process.`,
  ]
}

function coresText(cores: number): string {
  return cores === 1 ? 'one core' : `${cores} cores`
}

function fullText(reports: Reports): string {
  const cores = [...new Set(reports.map(({ machine }) => machine.cores))]
  const versions = Object.entries(reports[0].packages).map(
    ([name, version]) => `${name} ${version}`,
  )
  return [
    ...cores.flatMap(count =>
      shapesTable(
        reports.filter(({ machine }) => machine.cores === count),
        count,
      ),
    ),
    'The figures depend on the data and on the cores: measure your own file with `feedmill bench --file`.',
    '',
    '![Speed of this package and its peers, the figures of the first table below](../../bench/peers.svg)',
    '',
    `The contenders are ${versions.join(', ')}.`,
    '',
    ...contendersTable(reports[0]),
  ].join('\n')
}

/** A line for each shape of files, from the one that is the best for `rows-5` to the worst. */
function shapesTable(reports: readonly BenchReport[], cores: number): string[] {
  const isByCpu = cores === 1
  const unit = isByCpu ? 'processor time' : 'time'
  const times = (report: BenchReport, name: TableCase) => timesOf(oursIn(report, name), isByCpu)
  const sorted = reports.toSorted((a, b) => times(b, 'rows-5') - times(a, 'rows-5'))
  return [
    `On ${coresText(cores)}, multiples of the speed of node:zlib by ${unit}, which only inflates the same file; for each shape of files, the best first; of smaller files starting is a larger part:`,
    '',
    `| shape | MB of TSV | bytes a row | raw by gzip | node:zlib, MB/s | ${SHAPE_CASES.map(name => `\`${name}\``).join(' | ')} | best right peer of \`rows-5\` | peak RSS, MB |`,
    `|---|---|---|---|---|${SHAPE_CASES.map(() => '---|').join('')}---|---|`,
    ...sorted.map(report => {
      const { feed } = report
      const ours = SHAPE_CASES.map(name => oursIn(report, name))
      const zlib = contendersOf(report, 'zlib')[0]
      const cells = [
        `\`${feed.shape}\``,
        (feed.rawBytes / 1e6).toFixed(0),
        (feed.rawBytes / feed.rows).toFixed(0),
        (feed.rawBytes / feed.gzipBytes).toFixed(1),
        zlib?.mbPerSecond.toFixed(0) ?? '',
        ...ours.map(result => (result === undefined ? '—' : timesOf(result, isByCpu).toFixed(2))),
        bestPeerText(report, isByCpu),
        Math.max(...ours.map(result => result?.peakRssMb ?? 0)).toFixed(0),
      ]
      return `| ${cells.join(' | ')} |`
    }),
    '',
  ]
}

function bestPeerText(report: BenchReport, isByCpu: boolean): string {
  const peers = contendersOf(report, 'rows-5').filter(({ ours, verdict }) => !ours && verdict.right)
  const best = peers.toSorted((a, b) => timesOf(b, isByCpu) - timesOf(a, isByCpu))[0]
  return best === undefined ? '—' : `${best.contender} ${timesOf(best, isByCpu).toFixed(2)}`
}

function contendersTable(report: BenchReport): string[] {
  return [
    `### The shape \`${report.feed.shape}\``,
    '',
    ...machineLines(report),
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
  ]
}

/** MB/s of some cases and contenders, and what the best and the worst shape make of this package's. */
function summaryText(reports: Reports): string {
  const [report] = reports
  const { shape } = report.feed
  const alike = reports.filter(({ machine }) => machine.cores === report.machine.cores)
  return [
    `| MB/s of TSV (× node:zlib) | feedmill, \`${shape}\` | best shape | worst shape | DuckDB | papaparse | node:zlib, inflating only |`,
    '|---|---|---|---|---|---|---|',
    ...SUMMARY_CASES.map(name => {
      const cells = SUMMARY_CONTENDERS.map(wanted =>
        contendersOf(report, name).find(({ contender }) => contender === wanted),
      ).map(result => (result === undefined ? '—' : summaryCell(result)))
      const zlib = contendersOf(report, 'zlib').map(({ mbPerSecond }) => mbPerSecond.toFixed(0))
      const [ours, ...others] = cells
      return `| ${[titleOf(name), ours, ...bestAndWorst(alike, name), ...others, ...zlib].join(' | ')} |`
    }),
    '',
    'A contender that is marked as wrong reads some rows of this dialect differently.',
    ...machineLines(report),
    `The best and the worst are of ${alike.length} shapes of files, by their multiples of node:zlib.`,
  ].join('\n')
}

function bestAndWorst(reports: readonly BenchReport[], name: TableCase): string[] {
  const sorted = reports
    .filter(report => oursIn(report, name) !== undefined)
    .map(report => ({ shape: report.feed.shape, times: timesOf(oursIn(report, name), false) }))
    .sort((a, b) => b.times - a.times)
  return [sorted[0], sorted.at(-1)].map(each =>
    each === undefined ? '—' : `\`${each.shape}\` ${each.times.toFixed(2)} ×`,
  )
}

function contendersOf({ cases }: BenchReport, wanted: TableCase): readonly CaseResult[] {
  return cases.find(({ name }) => name === wanted)?.contenders ?? []
}

/** The first contender of a case is this package. */
function oursIn(report: BenchReport, name: TableCase): CaseResult | undefined {
  return contendersOf(report, name).find(({ ours }) => ours)
}

function timesOf(result: CaseResult | undefined, isByCpu: boolean): number {
  return (isByCpu ? result?.timesZlibCpu : result?.timesZlib) ?? 0
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
