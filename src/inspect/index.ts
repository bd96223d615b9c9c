// The door of this room: what the public entries and the other rooms use of it.

export type { InspectSource } from './byte-source'
export { compareReports, type Drift } from './drift/compare-reports'
export { reportHtml } from './html/report-html'
export { type InspectOptions, inspect } from './inspect'
export type { ColumnProfile, InspectReport } from './report'
