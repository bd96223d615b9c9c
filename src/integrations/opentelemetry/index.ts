// The door of this room: what the public entries and the other rooms use of it.

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
