// The adapter of @opentelemetry/api, an optional package, and the part of it that is used here. The
// declarations do not import the package, so they are whole where it is not installed.

import { missingPackage } from '../../engine/index'

export type Attributes = Readonly<Record<string, string | number>>

export interface Counter {
  add(value: number, attributes?: Attributes): void
}

export interface Histogram {
  record(value: number, attributes?: Attributes): void
}

export type GaugeCallback = (result: {
  observe(value: number, attributes?: Attributes): void
}) => void

export interface ObservableGauge {
  addCallback(callback: GaugeCallback): void
  removeCallback(callback: GaugeCallback): void
}

export interface MetricOptions {
  readonly description?: string
  readonly unit?: string
  readonly advice?: { explicitBucketBoundaries?: number[] }
}

/** A Meter of `@opentelemetry/api`. */
export interface OtelMeter {
  createCounter(name: string, options?: MetricOptions): Counter
  createHistogram(name: string, options?: MetricOptions): Histogram
  createObservableGauge(name: string, options?: MetricOptions): ObservableGauge
}

export interface Span {
  setAttributes(attributes: Attributes): unknown
  setStatus(status: { code: number }): unknown
  end(endTime?: number): void
}

/** A Tracer of `@opentelemetry/api`. */
export interface OtelTracer {
  startSpan(
    name: string,
    options?: { kind?: number; attributes?: Attributes; startTime?: number },
    context?: OtelContext,
  ): Span
}

/** A Context of `@opentelemetry/api`, which is passed on and not looked into. */
export interface OtelContext {
  getValue(key: symbol): unknown
  setValue(key: symbol, value: unknown): OtelContext
  deleteValue(key: symbol): OtelContext
}

/** What is used of the package. */
export interface OtelApi {
  readonly metrics: { getMeter(name: string): OtelMeter }
  readonly trace: {
    getTracer(name: string): OtelTracer
    setSpan(context: OtelContext, span: Span): OtelContext
  }
  readonly context: { active(): OtelContext }
  readonly SpanKind: { readonly INTERNAL: number; readonly CLIENT: number }
  readonly SpanStatusCode: { readonly ERROR: number }
}

/** @throws FeedError DEPENDENCY_MISSING, with the command that installs the package */
export async function loadOtelApi(): Promise<OtelApi> {
  try {
    const { metrics, trace, context, SpanKind, SpanStatusCode } = await import('@opentelemetry/api')
    // The tracer of the package takes its own spans only, which are those that are given to it.
    return { metrics, trace: trace as OtelApi['trace'], context, SpanKind, SpanStatusCode }
  } catch (cause) {
    const name = '@opentelemetry/api'
    throw missingPackage('feedmill/opentelemetry', name, `${name}@^1.9`, cause)
  }
}
