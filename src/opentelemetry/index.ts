// The public entry of the subpath `feedmill/opentelemetry`, which needs the package
// @opentelemetry/api.

export type { StopWatching } from '../diagnostics/channels'
export { type InstrumentOptions, instrument } from './instrument'
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
} from './otel-api'
