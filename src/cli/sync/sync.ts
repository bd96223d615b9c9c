// `feedmill sync`: keeps a state folder up to date with the service, and reports its progress.

import { FeedError } from '../../index'
import { type SyncEvent, type SyncOptions, type SyncRun, type SyncSummary, sync } from '../../sync'
import { FAILURE } from '../exit-code'
import { given } from '../given'
import { jsonText, print, printError } from '../output'
import { progressBar } from '../progress-bar'
import { serviceOf } from '../service-settings'
import { type AppendingSink, appendingSink } from './change-file'
import { feedOf } from './feed-of'
import { limitHeapGrowth } from './heap-growth'
import type { SyncCommand } from './state-commands'
import { stopRequest } from './stop-signals'
import { eventLine, eventObject, failureLines, progressText, summaryLines } from './sync-lines'
import { targetOf } from './target-option'

/**
 * Runs until all is done or a signal comes. The exit code is 1 when a file could not be fetched or
 * is lost until there is a new bootstrap, and 128 plus the number of the signal after a signal.
 */
export async function syncCommand(options: SyncCommand): Promise<void> {
  limitHeapGrowth()
  const source = options.source === undefined ? undefined : await feedOf(options.source)
  const service = source ? undefined : serviceOf(options, given({ now: options.now }))
  const stop = stopRequest()
  const changes =
    typeof options.changes === 'string'
      ? appendingSink(options.changes, options.changesFormat)
      : undefined
  try {
    const shared = {
      ...(await placeOf(options, changes)),
      mode: options.follow ? 'follow' : 'once',
      strict: false,
      memoryBytes: options.memory,
      maxRemovedShare: options.maxRemovedShare,
      signal: stop.signal,
    } as const
    const until = options.until === 'now' ? (options.now ?? new Date()) : options.until
    const { marketplace, category: categories } = options
    const run = source
      ? sync({ source, ...shared })
      : sync({ service, marketplace, categories, ...given({ until }), ...shared } as SyncOptions)
    const summary = await told(run, options.json ? jsonTeller() : textTeller())
    const failures = failureLines(summary, options.json)
    printError(failures)
    if (failures.length > 0) process.exitCode = FAILURE
  } catch (error) {
    const isStop = stop.signal.aborted && FeedError.is(error) && error.code === 'ABORTED'
    if (!isStop) throw error
    process.exitCode = stop.exitCode
    printError('feedmill: stopped; the same command goes on from here')
  } finally {
    stop.release()
    await changes?.close()
    await service?.close()
  }
}

/** The options of `sync` for a state folder, or for a database, which keeps neither files nor changes. */
async function placeOf(
  { state, to, keepFiles, keepChanges, changes, changesFormat, quarantine }: SyncCommand,
  sink: AppendingSink | undefined,
): Promise<Partial<SyncOptions>> {
  if (to !== undefined) return { target: await targetOf(to) }
  return {
    folder: state!,
    keepFileBytes: keepFiles,
    keepChangeBytes: keepChanges,
    changes: sink ?? (changes === true ? 'files' : 'none'),
    changeRows: changesFormat === 'debezium' ? 'both' : 'after',
    quarantine: quarantine ? 'files' : 'none',
  }
}

interface Teller {
  event(event: SyncEvent): void | Promise<void>
  summary(summary: SyncSummary): Promise<void>
  end(): void
}

async function told(run: SyncRun, teller: Teller): Promise<SyncSummary> {
  try {
    for await (const event of run) await teller.event(event)
    const summary = await run.summary
    teller.end()
    await teller.summary(summary)
    return summary
  } finally {
    teller.end()
    // A failed print has stopped the run. The run is over when its folder is closed.
    await run.summary.catch(() => {})
  }
}

function jsonTeller(): Teller {
  const line = (value: unknown) => print(jsonText(value))
  return {
    event: event => line(eventObject(event)),
    summary: summary => line(eventObject({ type: 'summary', ...summary })),
    end() {},
  }
}

/**
 * Writes a line for each file to standard output, or a bar when standard error is a terminal.
 * Failures always go to standard error.
 */
function textTeller(): Teller {
  const bar = progressBar(0, true)
  const doing = new Map<string, string>()
  return {
    event: event => {
      if (event.type === 'fetching' || event.type === 'applying') {
        const act = event.type === 'fetching' ? 'fetches' : 'merges'
        doing.set(event.file.categoryId, `${act} its ${event.file.feed} bootstrap`)
      }
      if (event.type === 'progress') {
        const left = event.categories.reduce((sum, { ready }) => sum + ready, 0)
        // Files differ in size, so that none of them is no share that is known.
        const total = event.files === 0 ? 0 : event.files + left
        bar.update(event.files, progressText(event, doing), total)
      }
      const line = eventLine(event)
      if (line === undefined) return
      if (event.type !== 'done' && event.type !== 'missing') bar.above(line)
      else if (!bar.isShown) return print(line)
    },
    summary: summary => print(summaryLines(summary)),
    end: () => bar.stop(),
  }
}
