// The spans that are made of the messages of the diagnostics channels: one for each run, and one
// for each request, inside the run that sent it. A run that begins inside another is its child.

import type { DiagnosticsMessages, Listeners } from '../../engine/index'
import { requestAttributes } from './metrics'
import type { OtelApi, OtelContext, OtelTracer, Span } from './otel-api'

/** Runs under way whose spans are kept. Past it the span of the oldest ends. */
const MOST_RUNS = 10_000

export interface Spans {
  readonly listeners: Listeners
  /** Ends the spans of the runs that are under way. */
  stop(): void
}

export function spansOf(tracer: OtelTracer, api: OtelApi): Spans {
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
