// The section of the README that shows the peers, made from a report: the picture, the table, the goals.

import { TABLE_CASE_TITLES } from './macro/cases'
import { type BenchReport, type CaseResult, contenderText, feedText } from './report'

const BEGIN = '<!-- bench:peers -->'
const END = '<!-- /bench:peers -->'

/** @throws RangeError where the text has no such section */
export function withPeersSection(readme: string, report: BenchReport): string {
  const [begin, end] = [readme.indexOf(BEGIN), readme.indexOf(END)]
  if (begin < 0 || end < begin) throw new RangeError(`there is no section from ${BEGIN} to ${END}`)
  return `${readme.slice(0, begin + BEGIN.length)}\n${peersSection(report)}\n${readme.slice(end)}`
}

function peersSection(report: BenchReport): string {
  const { machine, packages, rounds, cases, goals } = report
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`)
  return [
    '![Speed of this package and its peers, the figures of the table below](bench/peers.svg)',
    '',
    `\`npm run bench:peers\` on ${machine.date.slice(0, 10)}: Node ${machine.node.slice(1)}, ${machine.cpu}, ${machine.cores} cores;`,
    `${feedText(report)}; medians of ${rounds} interleaved rounds, each run in a fresh process. ${versions.join(', ')}.`,
    'The titles and aspects of the generated feed repeat more than those of a real one, and few of its cells are quoted; more cores help the cases with a worker.',
    'So take the ratios for this data on this machine, and measure your own file with `feedmill profile`.',
    '',
    '| case | contender | MB/s | rows/s | CPU s | peak RSS MB | × `zlib` | result |',
    '|---|---|---|---|---|---|---|---|',
    ...cases.flatMap(({ name, contenders }) =>
      contenders.map((result, n) => lineOf(n === 0 ? `\`${name}\` ${TABLE_CASE_TITLES[name]}` : '', result, report)),
    ),
    '',
    '| case | goal | measured | |',
    '|---|---|---|---|',
    ...goals.map(({ case: name, goal, measured, held }) => `| \`${name}\` | ${goal} | ${measured} | ${held ? 'held' : '**missed**'} |`),
  ].join('\n')
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
  return identicalRows === undefined ? '**wrong**' : `**wrong**: ${Math.floor((identicalRows / expectedCount) * 100)}% of rows right`
}
