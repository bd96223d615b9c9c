import { expect, test } from 'vitest'
import { isAnyoneWatching, jobTopic, queueTopic } from '../../../src/engine/diagnostics/channels'
import { type Logger, type LogLevel, logTo } from '../../../src/engine/diagnostics/log-to'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { Retries, retryPolicy } from '../../../src/engine/stages/range/retries'
import { reset } from '../stages/scripted-transport'

// Alone: it looks whether anyone in the process watches a channel.

interface Line {
  readonly level: LogLevel
  readonly fields: Record<string, unknown>
  readonly text: string
}

/** A logger as pino makes them: its methods need their `this`. */
class Lines implements Logger {
  readonly lines: Line[] = []

  debug(fields: object, text: string) {
    this.#add('debug', fields, text)
  }

  info(fields: object, text: string) {
    this.#add('info', fields, text)
  }

  warn(fields: object, text: string) {
    this.#add('warn', fields, text)
  }

  error(fields: object, text: string) {
    this.#add('error', fields, text)
  }

  #add(level: LogLevel, fields: object, text: string) {
    this.lines.push({ level, fields: { ...fields }, text })
  }
}

async function someWork(): Promise<void> {
  await pipeline([Uint8Array.of(1, 2)]).toArray()
  const failing = () => {
    throw new RangeError('a bug of a caller')
  }
  await pipeline([1])
    .map(failing)
    .toArray()
    .catch(() => {})
  const policy = retryPolicy('retry', { backoffBaseMs: 0, patienceMs: 5 })
  await new Retries(policy, new AbortController().signal, () => 'http://feed.test/file').again(
    reset(),
  )
}

test.each([
  ['debug', ['debug', 'debug', 'info', 'debug', 'debug', 'error', 'warn']],
  ['info', ['info', 'error', 'warn']],
  ['warn', ['error', 'warn']],
  ['error', ['error']],
] as const)('at the level %s these messages are logged', async (level, expected) => {
  const logger = new Lines()
  const stop = logTo(logger, { level })
  await someWork()
  stop()
  expect(logger.lines.map(line => line.level)).toEqual(expected)
  await someWork()
  expect(logger.lines).toHaveLength(expected.length)
})

test('the fields are those of the message, with its channel', async () => {
  const logger = new Lines()
  using _ = logTo(logger)
  await someWork()
  const [completed, failed, retry] = logger.lines
  expect(completed?.fields).toMatchObject({
    channel: 'feedmill:run',
    outcome: 'completed',
    stages: [{ bytes: 2 }],
  })
  expect(completed?.text).toMatch(/^pipeline completed in \d+ ms$/)
  expect(failed?.fields).toMatchObject({ outcome: 'failed', code: 'STAGE_FAILED' })
  expect(failed?.text).toMatch(/^pipeline failed with STAGE_FAILED in \d+ ms$/)
  expect(retry?.fields).toMatchObject({
    channel: 'feedmill:retry',
    url: 'http://feed.test/file',
    code: 'HTTP_TRANSPORT',
    failures: 1,
  })
  expect(retry?.text).toMatch(/^HTTP_TRANSPORT, failure 1: repeated in \d+ ms$/)
})

test('a stop ends the subscriptions, also a second time and by `using`', () => {
  {
    using stop = logTo(new Lines(), { level: 'debug' })
    expect(isAnyoneWatching()).toBe(true)
    stop()
    stop()
    expect(isAnyoneWatching()).toBe(false)
  }
  expect(isAnyoneWatching()).toBe(false)
})

test('what is no logger, and options that do not exist, are refused', () => {
  const wrong = [
    () => logTo({} as Logger),
    () => logTo({ info() {} } as unknown as Logger),
    () => logTo(new Lines(), { level: 'trace' as LogLevel }),
    () => logTo(new Lines(), { lvl: 'info' } as object),
  ]
  for (const call of wrong)
    expect(call).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }))
  expect(isAnyoneWatching()).toBe(false)
})

test('a job that failed is an error, and a lost connection to a queue a warning', () => {
  const logger = new Lines()
  using _ = logTo(logger)
  const job = { queue: 'q', job: '1', marketplace: 'MKT_US', categoryId: '220', attempt: 1 }
  const nextAt = new Date('2026-03-01T08:00:00Z')
  jobTopic.publish({ ...job, state: 'delayed', nextAt })
  jobTopic.publish({ ...job, state: 'failed', code: 'STATE_FOREIGN' })
  queueTopic.publish({ queue: 'q', state: 'connected' })
  queueTopic.publish({ queue: 'q', state: 'lost', reason: 'ECONNRESET' })
  expect(logger.lines.map(({ level, text }) => `${level} ${text}`)).toEqual([
    'info job of category 220 delayed until 2026-03-01T08:00:00.000Z',
    'error job of category 220 failed with STATE_FOREIGN',
    'info queue q connected',
    'warn queue q lost: ECONNRESET',
  ])
})
