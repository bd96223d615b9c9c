// Formats a profile and its comparison with a baseline as text.

import { machineLine } from '../../bench/index'
import { textTable } from '../text-table'
import type { Comparison } from './profile-baseline'
import { percent } from './profile-bottleneck'
import type { CellReading } from './profile-cells'
import type { ProfileResult, ProfileTotals, StageFigures } from './profile-result'

/** A process runs slowly for its first tenths of a second, until V8 has optimised the code. */
const SHORT_SECONDS = 0.5

const HEADING = ['stage', 'busy s', 'wait s', 'blocked s', 'share', 'MB/s', 'rows/s']

export function profileReport(result: ProfileResult): string[] {
  const { stages, bottleneck, totals } = result
  return [
    ...headLines(result),
    '',
    ...textTable(HEADING, stages.map(lineOf)),
    '',
    ...totalLines(result),
    '',
    `${bottleneck.stage} is the bottleneck, with ${percent(bottleneck.share)} of the run. ${bottleneck.meaning}`,
    ...(totals.seconds < SHORT_SECONDS
      ? ['A large part of so short a run is warm-up: a larger file gives better figures.']
      : []),
  ]
}

/** @param totals the totals of the new result */
export function comparisonReport(
  { change, tolerance, noise, verdict, baseline }: Comparison,
  totals: ProfileTotals,
): string[] {
  const { totals: before, machine } = baseline
  const moved = `${change < 0 ? '' : '+'}${(change * 100).toFixed(1)}%`
  return [
    `${VERDICTS[verdict]}: ${moved} against ${before.mbPerSecond.toFixed(0)} MB/s of ${machine.date} (tolerance ${percent(tolerance)}, spread of the rounds ${percent(noise)})`,
    `CPU ${totals.cpuSeconds.toFixed(2)} s, was ${before.cpuSeconds.toFixed(2)} s · peak RSS ${totals.peakRssMb.toFixed(0)} MB, was ${before.peakRssMb.toFixed(0)} MB`,
  ]
}

const VERDICTS = {
  held: 'held',
  slower: 'SLOWER',
  unclear:
    'unclear, because the rounds differ by more than the loss: use more rounds, or a quieter machine',
} as const

function headLines({
  file,
  feed,
  columns,
  rows,
  badRows,
  firstBad,
  rawBytes,
  reading,
  machine,
  rounds,
}: ProfileResult): string[] {
  const onDisk = file.format === 'gzip' ? [`${megabytes(file.bytes)} MB of gzip`] : []
  const size = [...onDisk, `${megabytes(rawBytes)} MB of TSV`].join(', ')
  return [
    `${file.path}: ${feed} feed, ${size}, ${columns} columns, ${rows} rows, ${badRows} bad`,
    ...(firstBad === undefined ? [] : [`first bad row: ${firstBad}`]),
    machineLine(machine),
    `${readingInWords(reading)}; ${rounds.length === 1 ? 'one round, in' : `medians of ${rounds.length} rounds, each in`} a fresh process`,
  ]
}

function totalLines({ file, totals }: ProfileResult): string[] {
  const { seconds, spread, mbPerSecond, fileMbPerSecond, rowsPerSecond, cpuSeconds, peakRssMb } =
    totals
  const onDisk = file.format === 'gzip' ? [`${fileMbPerSecond.toFixed(1)} MB/s of gzip`] : []
  return [
    [`${mbPerSecond.toFixed(0)} MB/s of TSV`, ...onDisk, `${rowsPerSecond.toFixed(0)} rows/s`].join(
      ' · ',
    ),
    `${seconds.toFixed(3)} s, spread ${percent(spread)} · CPU ${cpuSeconds.toFixed(2)} s, all threads · peak RSS ${peakRssMb.toFixed(0)} MB`,
  ]
}

function lineOf({
  stage,
  busyMs,
  waitMs,
  blockedMs,
  share,
  mbPerSecond,
  rowsPerSecond,
}: StageFigures): string[] {
  const times = [busyMs, waitMs, blockedMs].map(ms => (ms / 1000).toFixed(3))
  return [
    stage,
    ...times,
    percent(share),
    ...[mbPerSecond, rowsPerSecond].map(rate => (rate === 0 ? '' : rate.toFixed(0))),
  ]
}

function readingInWords(reading: CellReading): string {
  if (reading === 'objects') return 'every row as an object of strings'
  if (reading === 'typed') return 'every row as an object of decoded cells'
  return reading === 0
    ? 'rows without reading a cell'
    : `the first ${reading} cells of every row as text`
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
