// The public names of `feedmill/inspect`: what is in a feed file, which schema it proves, and how it
// differs from the files before it.

export {
  type ColumnProfile,
  compareReports,
  type Drift,
  type InferOptions,
  type InferredSchema,
  type InspectOptions,
  type InspectReport,
  type InspectSource,
  inferSchema,
  inspect,
  reportHtml,
} from './inspect/index'
