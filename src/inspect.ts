// The public names of `feedmill/inspect`: what is in a feed file, and how it differs from the files
// before it.

export {
  type ColumnProfile,
  compareReports,
  type Drift,
  type InspectOptions,
  type InspectReport,
  type InspectSource,
  inspect,
  reportHtml,
} from './inspect/index'
