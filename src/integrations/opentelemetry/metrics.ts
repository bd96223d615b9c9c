// The metrics that are made of the messages of the diagnostics channels. Names and units follow the
// conventions of OpenTelemetry: times in seconds, sizes in bytes (`By`).

import type { DiagnosticsMessages, Listeners } from '../../engine/index'
import type { Attributes, GaugeCallback, OtelMeter } from './otel-api'

/** The boundaries that OpenTelemetry advises for the durations of HTTP requests, in seconds. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const RUN_SECONDS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1_800, 3_600]

/** Categories whose watermarks are kept. Past it the one that moved least recently is dropped. */
const MOST_CATEGORIES = 10_000

/** @param now the clock against which the lag of a watermark is measured, in milliseconds */
export function metricsOf(meter: OtelMeter, now: () => number) {
  const counter = (name: string, unit: string, description: string) =>
    meter.createCounter(name, { unit, description })
  const seconds = (name: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries } })

  const requests = counter('feedmill.requests', '{request}', 'HTTP requests that have ended')
  const requestDuration = seconds(
    'feedmill.request.duration',
    'Duration of HTTP requests with their bodies',
    REQUEST_SECONDS,
  )
  const received = counter('feedmill.bytes.received', 'By', 'Bytes of bodies that were received')
  const retries = counter('feedmill.retries', '{retry}', 'Repetitions after failures')
  const tokens = counter('feedmill.tokens.renewed', '{token}', 'Tokens that were received')
  const rows = counter('feedmill.rows', '{row}', 'Rows that the stages of pipelines gave')
  const files = counter('feedmill.files.committed', '{file}', 'Files committed to a state folder')
  const merged = counter('feedmill.rows.merged', '{row}', 'Rows of files by their effect')
  const jobs = counter('feedmill.jobs', '{job}', 'Jobs of queues by what became of them')
  const jobDuration = seconds('feedmill.job.duration', 'Duration of jobs of queues', RUN_SECONDS)
  const lost = counter('feedmill.queue.lost', '{connection}', 'Lost connections to queues')
  const runs = counter('feedmill.runs', '{run}', 'Runs that have settled')
  const runDuration = seconds('feedmill.run.duration', 'Duration of runs', RUN_SECONDS)
  const lag = watermarkLag(meter, now)

  const listeners: Listeners = {
    'feedmill:request': message => {
      const attributes = requestAttributes(message)
      requests.add(1, attributes)
      requestDuration.record(message.durationMs / 1000, attributes)
      received.add(message.bytes, { 'server.address': attributes['server.address'] })
    },
    'feedmill:retry': ({ code }) => retries.add(1, { 'error.type': code }),
    'feedmill:token': ({ reason }) => tokens.add(1, { 'feedmill.token.reason': reason }),
    'feedmill:batch': message => {
      if (message.rows > 0) rows.add(message.rows, { 'feedmill.stage': message.stage })
    },
    'feedmill:file': message => {
      const { feed, kind } = message
      const attributes = { ...ofCategory(message), 'feedmill.feed': feed }
      files.add(1, { ...attributes, 'feedmill.file.kind': kind })
      for (const [effect, count] of Object.entries(message.rows))
        if (count > 0) merged.add(count, { ...attributes, 'feedmill.row.effect': effect })
    },
    'feedmill:watermark': message => lag.moved(message),
    'feedmill:job': message => {
      if (message.durationMs === undefined) return
      const attributes = jobAttributes(message)
      jobs.add(1, attributes)
      jobDuration.record(message.durationMs / 1000, attributes)
    },
    'feedmill:queue': ({ state }) => {
      if (state === 'lost') lost.add(1)
    },
    'feedmill:run': ({ kind, outcome, code, durationMs }) => {
      const run = { 'feedmill.run.kind': kind, 'feedmill.run.outcome': outcome }
      const attributes = { ...run, ...(code !== undefined && { 'error.type': code }) }
      runs.add(1, attributes)
      runDuration.record(durationMs / 1000, attributes)
    },
  }
  return { listeners, stop: () => lag.stop() }
}

/** The attributes of a request: of few values each, so the path of the address is left out. */
export function requestAttributes({
  method,
  url,
  status,
  code,
}: DiagnosticsMessages['feedmill:request']) {
  return {
    'http.request.method': method,
    'server.address': URL.canParse(url) ? new URL(url).hostname : '',
    ...(status !== undefined && { 'http.response.status_code': status }),
    ...errorType(status, code),
  }
}

/** A failure has the code of its error, and a refusal its status (`error.type`). */
function errorType(status: number | undefined, code: string | undefined): Attributes {
  if (code !== undefined) return { 'error.type': code }
  return status !== undefined && status >= 400 ? { 'error.type': String(status) } : {}
}

function jobAttributes(message: DiagnosticsMessages['feedmill:job']): Attributes {
  return {
    ...ofCategory(message),
    'feedmill.job.state': message.state,
    ...(message.code !== undefined && { 'error.type': message.code }),
  }
}

type Watermark = DiagnosticsMessages['feedmill:watermark']

function ofCategory({
  marketplace,
  categoryId,
}: Pick<Watermark, 'marketplace' | 'categoryId'>): Attributes {
  return { 'feedmill.marketplace': marketplace, 'feedmill.category': categoryId }
}

/** How far the watermark of each category lies back, at the moment of an export. */
function watermarkLag(meter: OtelMeter, now: () => number) {
  const watermarks = new Map<string, Watermark>()
  const gauge = meter.createObservableGauge('feedmill.watermark.lag', {
    unit: 's',
    description: 'Time since the watermark of a category',
  })
  const observe: GaugeCallback = result => {
    for (const message of watermarks.values()) {
      const lagMs = now() - message.watermark.getTime()
      result.observe(Math.max(0, lagMs) / 1000, ofCategory(message))
    }
  }
  gauge.addCallback(observe)
  const moved = (message: Watermark) => {
    const key = `${message.marketplace}/${message.categoryId}`
    watermarks.delete(key)
    watermarks.set(key, message)
    if (watermarks.size > MOST_CATEGORIES) watermarks.delete(watermarks.keys().next().value!)
  }
  return { moved, stop: () => gauge.removeCallback(observe) }
}
