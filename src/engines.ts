// The public names of `feedmill/engines`: the inflater and the parsers as synchronous engines, which
// need no stream.

export {
  createColumnParser,
  createInflater,
  createRowParser,
  type Engine,
  type InflaterOptions,
  type ParserFacts,
} from './engine/index'
