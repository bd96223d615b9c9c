// `feedmill worker`: runs the scheduled categories, or feeds, of a queue until a signal comes.

import { type JobReport, type RequestLimit, requestLimit, startWorker } from '../../queue'
import type { FeedService } from '../../service'
import { given } from '../given'
import { jsonText, print } from '../output'
import { serviceOf } from '../service-settings'
import { feedsOf } from '../sync/feed-of'
import { type StopRequest, stopRequest } from '../sync/stop-signals'
import { targetOf } from '../sync/target-option'
import type { WorkerCommand } from './queue-commands'
import { queueOf } from './queue-setting'

/** The exit code is 0 after a signal, which is how a worker ends. */
export async function workerCommand(options: WorkerCommand): Promise<void> {
  const queue = queueOf(options)
  const { concurrency, memory: memoryBytes, json, now } = options
  const target = await targetOf(options.to)
  const limit = await limitOf(options)
  let stop: StopRequest | undefined
  let service: FeedService | undefined
  try {
    // A signal ends the process while it waits for a credentials file that is a pipe.
    const sources = await feedsOf(options.source, true)
    if (sources === undefined)
      service = serviceOf(options, given({ now, sharedTurn: limit?.sharedTurn }))
    stop = stopRequest()
    const onJob = (report: JobReport) =>
      void print(json ? jsonText(reportObject(report)) : reportLine(report)).catch(() => {})
    const shared = { queue, target, concurrency, memoryBytes, onJob }
    const worker = await (service
      ? startWorker({ service, ...shared })
      : startWorker({ sources: sources!, ...shared }))
    const close = () => void worker.close()
    stop.signal.addEventListener('abort', close)
    if (stop.signal.aborted) close()
    await worker.ended
  } finally {
    stop?.release()
    await limit?.close()
    await service?.close()
  }
}

async function limitOf(options: WorkerCommand): Promise<RequestLimit | undefined> {
  const { requestsPerSecond: perSecond, requestsPerDay: perDay } = options
  if (perSecond === undefined && perDay === undefined) return undefined
  return requestLimit({ queue: queueOf(options), ...given({ perSecond, perDay }) })
}

/** Returns a line for people: the category, what became of the job, and why. */
export function reportLine({ message, error, result }: JobReport): string {
  const { marketplace, categoryId, state, nextAt } = message
  const did =
    result === undefined
      ? ''
      : `, ${result.files} files, ${result.rows} rows, up to ${result.watermark?.toISOString() ?? 'no bootstrap yet'}`
  const next = nextAt === undefined ? '' : `, again at ${nextAt.toISOString()}`
  const why = error === undefined ? '' : `: ${error.code}: ${error.message}`
  return `${marketplace} ${categoryId}: ${state}${did}${next}${why}`
}

/** Returns the report as a plain object. */
export function reportObject({ message, error, result }: JobReport): Record<string, unknown> {
  const watermark = result?.watermark ?? null
  return {
    ...message,
    ...(error && { error: { code: error.code, message: error.message } }),
    ...(result && { watermark, files: result.files, rows: result.rows }),
  }
}
