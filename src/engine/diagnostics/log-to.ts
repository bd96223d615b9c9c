// Passes what the channels say to a logger of pino's shape. This file owns the level and the words
// of each message; the logger decides about its form and its destination.

import { is, type OptionTable, readOptions } from '../options'
import { type DiagnosticsMessages, listen, type StopWatching } from './channels'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** The levels in their order. */
const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

/** A logger of pino's shape: the fields come first, and the text second. */
export type Logger = Readonly<Record<LogLevel, (fields: object, text: string) => void>>

export interface LogOptions {
  /** The least level that is logged. Default `info`. */
  readonly level?: LogLevel
}

const OPTIONS = { level: [is.choice(...LEVELS), 'info'] } satisfies OptionTable<LogOptions>

/**
 * Logs what the library does, and returns the function that ends that. The fields are those of the
 * message in {@link DiagnosticsMessages}, and `channel` with its name. `level: 'debug'` also logs
 * each request and each batch; at other levels batches cost nothing. `console` takes the text
 * first, so it needs a wrapper. A logger must not throw: Node reports what a subscriber throws as
 * an uncaught exception.
 *
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { FileSource, logTo, pipeline } from 'feedmill'
 * // given: path
 *
 * const line = (_: object, text: string) => console.log(text.replace(/[\d.]+ ms/, '# ms'))
 * const stop = logTo({ debug: line, info: line, warn: line, error: line })
 * await pipeline(new FileSource(path)).forEach(() => {})
 * stop()
 * // => pipeline completed in # ms
 * ```
 */
export function logTo(logger: Logger, options: LogOptions = {}): StopWatching {
  is.withMethods<Logger>(...LEVELS)('logger', is.anObject('logger', logger))
  const { level } = readOptions(options, OPTIONS)
  const least = LEVELS.indexOf(level)
  const isLogged = (at: LogLevel) => LEVELS.indexOf(at) >= least
  const listeners: Record<string, (message: never) => void> = {}
  for (const [channel, { levels, textOf }] of Object.entries<Line<never>>(LINES)) {
    const [usual, ofFailure = usual] = levels
    if (!isLogged(usual) && !isLogged(ofFailure)) continue
    listeners[channel] = (message: Ending) => {
      const at = hasFailed(message) ? ofFailure : usual
      if (isLogged(at)) logger[at]({ channel, ...message }, textOf(message as never))
    }
  }
  return listen(listeners)
}

interface Ending {
  readonly outcome?: string
  readonly state?: string
}

function hasFailed({ outcome, state }: Ending): boolean {
  return outcome === 'failed' || state === 'failed' || state === 'lost'
}

interface Line<Message> {
  /** The usual level, and that of a run or job that has failed or a connection that is lost. */
  readonly levels: readonly [usual: LogLevel, ofFailure?: LogLevel]
  textOf(message: Message): string
}

const LINES: { readonly [Name in keyof DiagnosticsMessages]: Line<DiagnosticsMessages[Name]> } = {
  'feedmill:request': {
    levels: ['debug'],
    textOf: ({ method, url, status, bytes, durationMs, code }) =>
      `${method} ${url}: ${code ?? status}, ${bytes} bytes in ${ms(durationMs)}`,
  },
  'feedmill:retry': {
    levels: ['warn'],
    textOf: ({ code, failures, delayMs }) =>
      `${code}, failure ${failures}: repeated in ${ms(delayMs)}`,
  },
  'feedmill:token': { levels: ['info'], textOf: ({ reason }) => `token renewed: ${reason}` },
  'feedmill:worker': {
    levels: ['debug'],
    textOf: ({ state, workers }) => `inflate worker ${state}, ${workers} running`,
  },
  'feedmill:batch': {
    levels: ['debug'],
    textOf: ({ stage, rows, bytes }) => `${stage} gave ${rows} rows, ${bytes} bytes`,
  },
  'feedmill:file': {
    levels: ['info'],
    textOf: ({ file, rows: { inserted, updated, deleted } }) =>
      `${file} committed: ${inserted} inserted, ${updated} updated, ${deleted} deleted`,
  },
  'feedmill:watermark': {
    levels: ['info'],
    textOf: ({ categoryId, watermark }) =>
      `category ${categoryId} is complete up to ${watermark.toISOString()}`,
  },
  'feedmill:job': {
    levels: ['info', 'error'],
    textOf: ({ categoryId, state, code, nextAt }) =>
      `job of category ${categoryId} ${state}${code === undefined ? '' : ` with ${code}`}` +
      (nextAt === undefined ? '' : ` until ${nextAt.toISOString()}`),
  },
  'feedmill:queue': {
    levels: ['info', 'warn'],
    textOf: ({ queue, state, reason }) =>
      `queue ${queue} ${state}${reason === undefined ? '' : `: ${reason}`}`,
  },
  'feedmill:run:start': { levels: ['debug'], textOf: ({ kind }) => `${kind} started` },
  'feedmill:run': {
    levels: ['info', 'error'],
    textOf: ({ kind, outcome, code, durationMs }) =>
      `${kind} ${outcome}${code === undefined ? '' : ` with ${code}`} in ${ms(durationMs)}`,
  },
}

function ms(milliseconds: number): string {
  return `${Math.round(milliseconds)} ms`
}
