// The door of the room inspect: what the public entries and the other rooms use of it.

export { compareReports, type Drift } from './drift/compare-reports'
export { reportHtml } from './html/report-html'
export {
  type InferOptions,
  type InspectOptions,
  type InspectSource,
  inferSchema,
  inspect,
} from './inspect'
export type { ColumnProfile, InferredSchema, InspectReport } from './report'
