// Metrics and spans by the SDK of OpenTelemetry, which exports them to memory.

import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { afterEach, expect, test } from 'vitest'
import { isAnyoneWatching, jobTopic, queueTopic } from '../../../src/engine/diagnostics/channels'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { type InstrumentOptions, instrument } from '../../../src/integrations/opentelemetry'
import { Recorded } from '../../engine/diagnostics/recorded'
import { emulated } from '../../service/emulated'
import { SimulatedMachine } from '../../sync/simulated-machine'
import { HOUR_MS, NO_EARLIER_DAYS, SmallShop } from '../../sync/small-run'

const START = new Date('2026-03-01T07:00:00Z')
const NOW_MS = +START + 4 * HOUR_MS

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

interface Point {
  readonly value: unknown
  readonly attributes: Record<string, unknown>
}

/** Instruments with providers of the SDK. */
async function watched(options: InstrumentOptions = {}) {
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({
    exporter: metricExporter,
    exportIntervalMillis: 3_600_000,
  })
  const meters = new MeterProvider({ readers: [reader] })
  const spanExporter = new InMemorySpanExporter()
  const tracers = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(spanExporter)],
  })
  const stop = await instrument({
    meter: meters.getMeter('test'),
    tracer: tracers.getTracer('test'),
    ...options,
  })
  closing.push(
    stop,
    () => meters.shutdown(),
    () => tracers.shutdown(),
  )
  const points = async (name: string): Promise<Point[]> => {
    await reader.forceFlush()
    const metrics = metricExporter
      .getMetrics()
      .at(-1)
      ?.scopeMetrics.flatMap(each => each.metrics)
    const found = metrics?.find(({ descriptor }) => descriptor.name === name)
    return (found?.dataPoints ?? []) as unknown as Point[]
  }
  const sum = async (name: string) =>
    (await points(name)).reduce((total, { value }) => total + Number(value), 0)
  return { stop, points, sum, spans: () => spanExporter.getFinishedSpans() }
}

function shop(): SmallShop {
  const world = { seed: 3, items: 30, churn: 40, start: START, hours: 300 }
  const opened = new SmallShop({ world, bootstrapAt: START }, NOW_MS)
  opened.limits = NO_EARLIER_DAYS
  closing.push(() => opened.close())
  return opened
}

test('the metrics of a synchronisation are what its channels say', async () => {
  using told = new Recorded()
  const { points, sum } = await watched({ now: () => new Date(NOW_MS) })
  const summary = await shop().sync(new SimulatedMachine(0).start()).summary
  const requests = told.of('feedmill:request')
  expect(await sum('feedmill.requests')).toBe(requests.length)
  expect(await sum('feedmill.bytes.received')).toBe(
    requests.reduce((total, { bytes }) => total + bytes, 0),
  )
  const durations = (await points('feedmill.request.duration')).map(({ value }) => value) as {
    count: number
    sum: number
  }[]
  expect(durations.reduce((total, { count }) => total + count, 0)).toBe(requests.length)
  expect(durations.reduce((total, { sum: seconds }) => total + seconds, 0)).toBeCloseTo(
    requests.reduce((total, { durationMs }) => total + durationMs, 0) / 1000,
    6,
  )
  expect(await sum('feedmill.retries')).toBe(told.of('feedmill:retry').length)
  expect(await sum('feedmill.tokens.renewed')).toBe(told.of('feedmill:token').length)
  expect(await sum('feedmill.files.committed')).toBe(summary.files)
  expect(await sum('feedmill.rows.merged')).toBe(
    told
      .of('feedmill:file')
      .reduce(
        (total, { rows }) => total + Object.values(rows).reduce((left, right) => left + right, 0),
        0,
      ),
  )
  // Three hours are in the state, and the fourth is due.
  const { watermark } = summary.categories[0]!
  expect(await points('feedmill.watermark.lag')).toMatchObject([
    {
      value: (NOW_MS - Number(watermark)) / 1000,
      attributes: { 'feedmill.marketplace': 'MKT_US', 'feedmill.category': '220' },
    },
  ])
  expect(await points('feedmill.runs')).toMatchObject([
    // Each of the five files is downloaded by a pipeline, and read by another.
    { value: 10, attributes: { 'feedmill.run.kind': 'pipeline' } },
    { value: 1, attributes: { 'feedmill.run.kind': 'sync', 'feedmill.run.outcome': 'completed' } },
  ])
})

test('the rows of a pipeline are counted by stage, and repetitions by their code', async () => {
  let asked = 0
  const { emulator, service } = emulated({
    between: (request, forward) =>
      request.method === 'GET' && asked++ === 0
        ? new Response('', { status: 503 })
        : forward(request),
  })
  closing.push(
    () => emulator.close(),
    () => service.close(),
  )
  const { points } = await watched()
  const query = { marketplace: 'MKT_US', categoryId: '220', scope: 'ALL_ACTIVE' } as const
  const rows = await service.feeds.getItemFeed(query).rows().toArray()
  expect(await points('feedmill.rows')).toMatchObject([
    { value: rows.length, attributes: { 'feedmill.stage': 'TsvRowParser' } },
  ])
  expect(await points('feedmill.retries')).toMatchObject([
    { value: 1, attributes: { 'error.type': 'HTTP_STATUS' } },
  ])
  expect(await points('feedmill.requests')).toContainEqual(
    expect.objectContaining({
      value: 1,
      attributes: {
        'http.request.method': 'GET',
        'server.address': 'service.test',
        'http.response.status_code': 503,
        'error.type': '503',
      },
    }),
  )
})

test('a request is a span inside the span of its run, and a download inside its synchronisation', async () => {
  const { spans } = await watched()
  await shop().sync(new SimulatedMachine(0).start()).summary
  const named = (name: string) => spans().filter(span => span.name === name)
  const [whole] = named('feedmill sync')
  const asking = new Set(named('GET').map(span => span.parentSpanContext?.spanId))
  const pipelines = named('feedmill pipeline')
  const downloads = pipelines.filter(span => asking.has(span.spanContext().spanId))
  expect(whole?.parentSpanContext).toBeUndefined()
  // Each of the five files is downloaded by a pipeline, and read by another.
  expect([downloads.length, pipelines.length]).toEqual([5, 10])
  for (const pipeline of pipelines)
    expect(pipeline.parentSpanContext?.spanId).toBe(whole?.spanContext().spanId)
  const ids = downloads.map(download => download.spanContext().spanId)
  expect(new Set(named('GET').map(span => span.parentSpanContext?.spanId))).toEqual(new Set(ids))
  expect(new Set(spans().map(span => span.spanContext().traceId)).size).toBe(1)
  for (const { attributes } of named('GET'))
    expect(attributes).toMatchObject({
      'url.full': expect.stringMatching(/^https:\/\/service\.test\/buy\/feed/),
      'http.response.status_code': expect.any(Number),
      'http.request.resend_count': 0,
    })
})

test('the span of a failed run has its code, and a stop ends the spans of runs under way', async () => {
  const { spans, stop } = await watched()
  const failing = () => {
    throw new RangeError('a bug of a caller')
  }
  await pipeline([1])
    .map(failing)
    .toArray()
    .catch(() => {})
  expect(spans()).toMatchObject([
    { status: { code: 2 }, attributes: { 'error.type': 'STAGE_FAILED' } },
  ])
  const open = pipeline([1, 2]).batches()
  await open.next()
  expect(spans()).toHaveLength(1)
  stop()
  stop()
  expect(spans()).toHaveLength(2)
  expect(isAnyoneWatching()).toBe(false)
  await open.return()
  expect(spans()).toHaveLength(2)
})

test('jobs of queues and lost connections have metrics', async () => {
  const { points, sum } = await watched()
  const job = {
    queue: 'feedmill',
    job: '1',
    marketplace: 'MKT_US',
    categoryId: '220',
    attempt: 1,
  }
  jobTopic.publish({ ...job, state: 'started' })
  jobTopic.publish({ ...job, state: 'retried', durationMs: 2_000, code: 'HTTP_TIMEOUT' })
  queueTopic.publish({ queue: 'feedmill', state: 'connected' })
  queueTopic.publish({ queue: 'feedmill', state: 'lost', reason: 'ECONNRESET' })
  const attributes = {
    'feedmill.marketplace': 'MKT_US',
    'feedmill.category': '220',
    'feedmill.job.state': 'retried',
    'error.type': 'HTTP_TIMEOUT',
  }
  expect(await points('feedmill.jobs')).toMatchObject([{ value: 1, attributes }])
  expect(await points('feedmill.job.duration')).toMatchObject([
    { value: { count: 1, sum: 2 }, attributes },
  ])
  expect(await sum('feedmill.queue.lost')).toBe(1)
})

test('null makes no metrics, or no spans', async () => {
  const onlyMetrics = await watched({ tracer: null })
  await pipeline([1]).toArray()
  expect([await onlyMetrics.sum('feedmill.runs'), onlyMetrics.spans().length]).toEqual([1, 0])
  onlyMetrics.stop()
  const onlySpans = await watched({ meter: null })
  await pipeline([1]).toArray()
  expect([await onlySpans.sum('feedmill.runs'), onlySpans.spans().length]).toEqual([0, 1])
})

test('without options the global providers are used, which may be none', async () => {
  const stop = await instrument()
  await pipeline([1]).toArray()
  stop()
  expect(isAnyoneWatching()).toBe(false)
})

test.each([
  [{ meter: {} }, 'meter'],
  [{ tracer: {} }, 'tracer'],
  [{ now: 7 }, 'now'],
  [{ metre: null }, 'metre'],
])('the option %o is refused', async (options, option) => {
  await expect(instrument(options as InstrumentOptions)).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    context: { option },
  })
})
