// The door of this room: what the public entries and the other rooms use of it.

export type { InspectSource } from './byte-source'
export type { ValueRange } from './columns/value-check'
export { compareReports, type Drift } from './drift/compare-reports'
export type { DriftSeverity } from './drift/drift-rules'
export { reportHtml } from './html/report-html'
export { type InspectOptions, inspect } from './inspect'
export type {
  BadRowsReport,
  ColumnProfile,
  FailureReport,
  FrequentReport,
  GzipReport,
  HeaderReport,
  InspectReport,
  InvalidCell,
  ReportPosition,
  SampleCell,
  SampleRow,
  ValueCount,
} from './report'
