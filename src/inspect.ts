// The public names of `feedmill/inspect`: what is in a feed file, and how it differs from the files
// before it.

export type {
  BadRowsReport,
  ColumnProfile,
  DriftSeverity,
  FailureReport,
  FrequentReport,
  GzipReport,
  HeaderReport,
  InspectReport,
  InspectSource,
  InvalidCell,
  ReportPosition,
  SampleCell,
  SampleRow,
  ValueCount,
  ValueRange,
} from './inspect/index'
export {
  compareReports,
  type Drift,
  type InspectOptions,
  inspect,
  reportHtml,
} from './inspect/index'
