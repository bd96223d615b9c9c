// The door of the room inspect: what the public entries and the other rooms use of it.

export { compareReports, type Drift } from './drift/compare-reports'
export { reportHtml } from './html/report-html'
export { type InspectOptions, type InspectSource, inspect } from './inspect'
export type { ColumnProfile, InspectReport } from './report'
