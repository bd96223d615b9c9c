// The connection of the diagnostics channels to OpenTelemetry. It is a subscriber like any other:
// the library knows nothing of it.

import {
  type Clock,
  clockMs,
  knownOptions,
  listen,
  type OptionNames,
  type StopWatching,
  withMethods,
} from '../../engine/index'
import { metricsOf } from './metrics'
import { loadOtelApi, type OtelMeter, type OtelTracer } from './otel-api'
import { spansOf } from './spans'

export interface InstrumentOptions {
  /** Default: the meter `feedmill` of the global MeterProvider. Null makes no metrics. */
  readonly meter?: OtelMeter | null
  /** Default: the tracer `feedmill` of the global TracerProvider. Null makes no spans. */
  readonly tracer?: OtelTracer | null
  /** The clock of `feedmill.watermark.lag`. Default the clock of the system. */
  readonly now?: Clock
}

const OPTION_NAMES: OptionNames<InstrumentOptions> = { meter: true, tracer: true, now: true }

/**
 * Makes OpenTelemetry metrics and spans of all that feedmill does in this process from now on, and
 * returns the function that ends that. Call it once, after the providers of the SDK are registered:
 * two calls count everything twice. The names are in the guide, "Watching what it does".
 *
 * @throws FeedError OPTION_INVALID, DEPENDENCY_MISSING without `@opentelemetry/api`
 * @example
 * ```ts
 * import { FileSource, pipeline } from 'feedmill'
 * import { instrument } from 'feedmill/opentelemetry'
 * // given: path
 *
 * const stop = await instrument() // the global providers
 * console.log((await pipeline(new FileSource(path)).toArray()).length)
 * stop()
 * // => 1
 * ```
 */
export async function instrument(options: InstrumentOptions = {}): Promise<StopWatching> {
  const { meter, tracer } = knownOptions(options, OPTION_NAMES)
  const now = clockMs('now', options.now)
  if (meter !== undefined && meter !== null)
    withMethods('meter', meter, ['createCounter', 'createHistogram', 'createObservableGauge'])
  if (tracer !== undefined && tracer !== null) withMethods('tracer', tracer, ['startSpan'])
  const api = await loadOtelApi()
  const parts = [
    ...(meter === null ? [] : [metricsOf(meter ?? api.metrics.getMeter('feedmill'), now)]),
    ...(tracer === null ? [] : [spansOf(tracer ?? api.trace.getTracer('feedmill'), api)]),
  ]
  const stops = parts.map(({ listeners }) => listen(listeners))
  const stop = () => {
    for (const end of stops) end()
    for (const part of parts) part.stop()
  }
  return Object.assign(stop, { [Symbol.dispose]: stop })
}
