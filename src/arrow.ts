// The public entry of the subpath `feedmill/arrow`, whose toArrow needs the package apache-arrow.

export { type ArrowSinkOptions, arrowSink, toArrow } from './integrations/arrow/index'
