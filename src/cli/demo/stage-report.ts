// Adds up the counters of many runs by stage, and makes a table of them.

import type { PipelineSummary, StageCounters } from '../../index'
import { textTable } from '../text-table'

const MEGABYTE = 1e6

export class StageReport {
  readonly #totals = new Map<string, StageCounters>()

  /** Adds a run that has ended: all of its stages, or only the named one. */
  add({ stages }: PipelineSummary, only?: string): void {
    for (const counters of stages) {
      if (only !== undefined && counters.stage !== only) continue
      const total = this.#totals.get(counters.stage)
      this.#totals.set(counters.stage, total === undefined ? { ...counters } : sum(total, counters))
    }
  }

  /** Returns the counters of a stage over all runs. They are zero for a stage that never ran. */
  total(stage: string): Pick<StageCounters, 'bytesIn' | 'bytesOut' | 'rowsOut'> {
    return this.#totals.get(stage) ?? { bytesIn: 0, bytesOut: 0, rowsOut: 0 }
  }

  /** Returns one line for each stage: its input, its output, and its own speed. */
  table(): string[] {
    const heading = ['stage', 'MB in', 'MB out', 'rows', 'MB/s', 'busy s', 'wait s', 'blocked s']
    return textTable(
      heading,
      [...this.#totals.values()].map(counters => lineOf(counters)),
    )
  }
}

function lineOf({
  stage,
  bytesIn,
  bytesOut,
  rowsIn,
  rowsOut,
  busyMs,
  waitMs,
  blockedMs,
}: StageCounters): string[] {
  const seconds = (ms: number) => (ms / 1000).toFixed(2)
  const megabytes = (bytes: number) => (bytes === 0 ? '' : (bytes / MEGABYTE).toFixed(1))
  const rows = Math.max(rowsIn, rowsOut)
  const speed = Math.max(bytesIn, bytesOut) / MEGABYTE / (busyMs / 1000)
  const rate = bytesIn + bytesOut === 0 || busyMs === 0 ? '' : speed.toFixed(0)
  return [
    stage,
    megabytes(bytesIn),
    megabytes(bytesOut),
    rows === 0 ? '' : String(rows),
    rate,
    seconds(busyMs),
    seconds(waitMs),
    seconds(blockedMs),
  ]
}

function sum(a: StageCounters, b: StageCounters): StageCounters {
  const total = { ...a }
  for (const key of Object.keys(b) as (keyof StageCounters)[])
    if (key !== 'stage') total[key] += b[key]
  return total
}
