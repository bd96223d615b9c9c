// The door of the Arrow room: batches of columns as record batches of apache-arrow, and its files.

export { type ArrowSinkOptions, arrowSink } from './arrow-sink'
export { toArrow } from './to-arrow'
