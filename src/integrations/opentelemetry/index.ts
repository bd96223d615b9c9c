// The door of the room opentelemetry: what the public entries and the other rooms use of it.

export { type InstrumentOptions, instrument } from './instrument'
