// The public entry of the subpath `feedmill/arrow`, which needs the package apache-arrow.

export { type ArrowSinkOptions, arrowSink, toArrow } from './integrations/arrow/index'
