// The lines of a history of figures: CSV (RFC 4180) with line feeds, one line for each benchmark of
// a run.

import type { BenchReport } from '../bench-report'

/** The first line of a history. */
export const HISTORY_HEADER = 'date,commit,benchmark,seconds,spread,cpuSeconds,peakMb,node,cores\n'

/** A figure of which more digits say nothing. */
const DIGITS = 6

/** Returns the lines of a report. The commit is empty outside a repository. */
export function historyLines({ benches, machine, commit = '' }: BenchReport): string {
  return benches
    .map(({ name, seconds, spread, cpuSeconds, peakRssMb }) => [
      machine.date,
      commit,
      name,
      ...[seconds, spread, cpuSeconds, peakRssMb].map(
        value => `${Number(value.toPrecision(DIGITS))}`,
      ),
      machine.node,
      `${machine.cores}`,
    ])
    .map(cells => `${cells.map(quoted).join(',')}\n`)
    .join('')
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
