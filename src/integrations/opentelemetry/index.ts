// The door of this room: what the public entries and the other rooms use of it.

export { type InstrumentOptions, instrument } from './instrument'
