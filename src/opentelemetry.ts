// The public entry of the subpath `feedmill/opentelemetry`, which needs the package
// @opentelemetry/api.

export {
  type InstrumentOptions,
  instrument,
} from './integrations/opentelemetry/index'
