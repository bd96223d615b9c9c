import { expect, test } from 'vitest'
import { StageReport } from '../../../src/cli/demo/stage-report'
import { newCounters } from '../../../src/engine/core/counters'

test('the report adds up the counters of several runs by stage, in the order of the chain', () => {
  const report = new StageReport()
  const run = (rowsOut: number) => ({
    elapsedMs: 10,
    stages: [
      { ...newCounters('Gunzip'), bytesIn: 1_000_000, bytesOut: 5_000_000, busyMs: 50 },
      {
        ...newCounters('TsvRowParser'),
        bytesIn: 5_000_000,
        bytesOut: 5_000_000,
        rowsOut,
        busyMs: 100,
        waitMs: 30,
      },
    ],
  })
  report.add(run(7))
  report.add(run(8))
  expect(report.total('TsvRowParser')).toMatchObject({
    rowsOut: 15,
    bytesIn: 10_000_000,
    busyMs: 200,
    waitMs: 60,
  })
  expect(report.total('SnapshotMerger').rowsOut).toBe(0)
  report.add(run(100), 'Gunzip')
  expect(report.total('TsvRowParser').rowsOut).toBe(15)
  const [heading, , gunzip, parser] = report.table()
  expect(heading).toMatch(/^stage +MB in +MB out +rows +MB/)
  expect(gunzip).toMatch(/^Gunzip +3\.0 +15\.0 +100 +0\.15/)
  expect(parser).toMatch(/^TsvRowParser +10\.0 +10\.0 +15 +50 +0\.20 +0\.06/)
})
