// What the fflate engine uses of fflate. No other file imports the package. This one is loaded with
// the first block, so that only users of the engine load the package, and has no more in it, so that
// a bundler takes only these parts of fflate.

export { Inflate } from 'fflate'
