// The public entry of the subpath `feedmill/opentelemetry`, which needs the package
// @opentelemetry/api.

export type { StopWatching } from './engine/index'
export type {
  Attributes,
  Counter,
  GaugeCallback,
  Histogram,
  MetricOptions,
  ObservableGauge,
  OtelContext,
  OtelMeter,
  OtelTracer,
  Span,
} from './integrations/opentelemetry/index'
export { type InstrumentOptions, instrument } from './integrations/opentelemetry/index'
