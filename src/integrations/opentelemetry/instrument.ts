// The connection of the diagnostics channels to OpenTelemetry. It is a subscriber like any other:
// the library knows nothing of it.

import {
  type Check,
  type Clock,
  type DiagnosticsMessages,
  is,
  listen,
  type OptionTable,
  readOptions,
  type StopWatching,
} from '../../engine/index'
import { metricsOf, requestAttributes } from './metrics'
import {
  loadOtelApi,
  type OtelApi,
  type OtelContext,
  type OtelMeter,
  type OtelTracer,
  type Span,
} from './otel-api'

export interface InstrumentOptions {
  /** Default: the meter `feedmill` of the global MeterProvider. Null makes no metrics. */
  readonly meter?: OtelMeter | null
  /** Default: the tracer `feedmill` of the global TracerProvider. Null makes no spans. */
  readonly tracer?: OtelTracer | null
  /** The clock of `feedmill.watermark.lag`. Default the clock of the system. */
  readonly now?: Clock
}

const OPTIONS = {
  meter: [
    orNull(is.withMethods<OtelMeter>('createCounter', 'createHistogram', 'createObservableGauge')),
  ],
  tracer: [orNull(is.withMethods<OtelTracer>('startSpan'))],
  now: is.clockMs,
} satisfies OptionTable<InstrumentOptions>

/** null turns a part off. */
function orNull<V>(check: Check<V>): Check<V | null> {
  return (option, value) => (value === null ? value : check(option, value))
}

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
  const { meter, tracer, now } = readOptions(options, OPTIONS)
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

/** Runs under way whose spans are kept. Past it the span of the oldest ends. */
const MOST_RUNS = 10_000

export function spansOf(tracer: OtelTracer, api: OtelApi) {
  const running = new Map<number, Span>()
  const contextOf = (run: number | undefined): OtelContext => {
    const span = run === undefined ? undefined : running.get(run)
    const active = api.context.active()
    return span === undefined ? active : api.trace.setSpan(active, span)
  }
  const endOldest = () => {
    for (const [run, span] of running) {
      running.delete(run)
      return span.end()
    }
  }

  const onRunStart = ({ run, kind, parent }: DiagnosticsMessages['feedmill:run:start']) => {
    const options = { kind: api.SpanKind.INTERNAL, attributes: { 'feedmill.run.kind': kind } }
    running.set(run, tracer.startSpan(`feedmill ${kind}`, options, contextOf(parent)))
    if (running.size > MOST_RUNS) endOldest()
  }
  const onRun = ({ run, outcome, code }: DiagnosticsMessages['feedmill:run']) => {
    const span = running.get(run)
    if (span === undefined) return
    running.delete(run)
    span.setAttributes({
      'feedmill.run.outcome': outcome,
      ...(code !== undefined && { 'error.type': code }),
    })
    if (outcome === 'failed') span.setStatus({ code: api.SpanStatusCode.ERROR })
    span.end()
  }
  const onRequest = (message: DiagnosticsMessages['feedmill:request']) => {
    const attributes = {
      ...requestAttributes(message),
      'url.full': message.url,
      'http.request.resend_count': message.attempt - 1,
      'http.response.body.size': message.bytes,
    }
    const startTime = Date.now() - message.durationMs
    const options = { kind: api.SpanKind.CLIENT, startTime, attributes }
    const span = tracer.startSpan(message.method, options, contextOf(message.run))
    if ('error.type' in attributes) span.setStatus({ code: api.SpanStatusCode.ERROR })
    span.end()
  }
  return {
    listeners: {
      'feedmill:run:start': onRunStart,
      'feedmill:run': onRun,
      'feedmill:request': onRequest,
    },
    stop: () => {
      while (running.size > 0) endOldest()
    },
  }
}
