// `feedmill demo --stream-only`: streams the bootstrap file through the stages into a file. The
// memory does not depend on the size of the file.

import { ColumnDecoder, ndjsonSink } from '../../index'
import { TruthCheck } from './demo-check'
import { CATEGORY, type DemoJob, type DemoOutcome, MARKETPLACE } from './demo-job'
import { StageReport } from './stage-report'

export async function demoStream({ options, service, world }: DemoJob): Promise<DemoOutcome> {
  const report = new StageReport()
  const truth = new TruthCheck(world, world.start)
  const startedAt = performance.now()
  await service.feeds
    .getItemFeed({ marketplace: MARKETPLACE, categoryId: CATEGORY, scope: 'ALL_ACTIVE' })
    .rows({ onSettled: summary => report.add(summary) })
    .to(() => new ColumnDecoder())
    .tap(row => truth.row(row.text('itemId'), row))
    .run(ndjsonSink(options.out))
  const ingestSeconds = (performance.now() - startedAt) / 1000 - truth.seconds
  truth.end()
  const parser = report.total('TsvRowParser')
  return {
    items: truth.rows,
    groups: 0,
    snapshots: 0,
    rows: parser.rowsOut,
    bytesCompressed: report.total('Gunzip').bytesIn,
    bytesRaw: parser.bytesIn,
    ingestSeconds,
    checkSeconds: truth.seconds,
    problems: truth.problems,
    table: [
      ...report.table(),
      '',
      'MB/s: the larger of MB in and MB out by the seconds in which the stage itself was busy',
    ],
  }
}
