// `feedmill catalog download`: stores files of the catalog, compressed as they are. A file appears
// when it is there as a whole and its checksums fit; a damaged or interrupted one never appears.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { FeedError, RangeInfo, Sink, TextColumns } from '../../index'
import { byteSink, readInstant } from '../../index'
import type { FeedDownload, FeedService } from '../../service'
import { byteSizeText } from '../byte-size'
import { jsonText, print } from '../output'
import { type ProgressBar, progressBar } from '../progress-bar'
import { untilSignal } from '../sync/stop-signals'
import { usageError } from '../usage-error'
import { note, withService } from './operation'
import type { DownloadCommand } from './service-commands'
import { verifiedGzip } from './verified-gzip'

const STANDARD_OUTPUT = '-'

/**
 * Fetches one file after the other, and ends at the first failure: the files before it stay.
 * A signal ends it with the exit code of the signal.
 */
export async function downloadCommand(
  fileIds: readonly string[],
  options: DownloadCommand,
): Promise<void> {
  const pathOf = outputPaths(fileIds, options)
  const { marketplace, json } = options
  const bar = progressBar(0, process.stderr.isTTY === true)
  const fetchAll = async ({ catalog }: FeedService, signal: AbortSignal) => {
    for (const fileId of fileIds) {
      const download = catalog.downloadFile({ marketplace, fileId })
      const path = pathOf(download)
      const fetched = await fetchFile(download, path ?? process.stdout, bar, signal)
      if (path === undefined) continue
      const text = `${path}  ${byteSizeText(fetched.bytes)}`
      await print(json ? jsonText({ fileId, path, ...fetched }) : text)
    }
  }
  const onStop = () => note('stopped; the file that was being fetched is not there')
  const work = (service: FeedService) => untilSignal(signal => fetchAll(service, signal), onStop)
  await withService(options, work, {
    retry: {
      onRetry: ({ error }) => bar.isShown && bar.above(`${error.code}: ${error.message}`),
    },
  })
}

async function fetchFile(
  download: FeedDownload<TextColumns>,
  target: string | NodeJS.WritableStream,
  bar: ProgressBar,
  signal: AbortSignal,
) {
  let info: RangeInfo | undefined
  let bytes = 0
  const sink = verifiedGzip(byteSink(target))
  const counted: Sink<Uint8Array> = {
    ...sink,
    async write(block) {
      await sink.write(block)
      bytes += block.length
      bar.update(bytes, `${download.fileName}, ${byteSizeText(bytes)}`, info?.totalBytes)
    },
  }
  try {
    await download.compressed({ signal, onInfo: known => void (info = known) }).run(counted)
  } finally {
    bar.stop()
  }
  return {
    /** The number of compressed bytes, as they came; never the size that the catalog states. */
    bytes,
    /** The time of the file's generation, ISO 8601; null where the service states none. */
    lastModified: readInstant(info?.lastModified ?? '')?.toISOString() ?? null,
  }
}

/** Returns a function that gives the path of each file, or undefined for standard output. */
function outputPaths(
  fileIds: readonly string[],
  { out, json }: DownloadCommand,
): (download: FeedDownload<TextColumns>) => string | undefined {
  if (out === STANDARD_OUTPUT) {
    if (json) throw wrong('a folder or a file where --json prints to standard output', out)
    if (process.stdout.isTTY)
      throw wrong('a folder or a file where a terminal would show gzip', out)
  } else if (statSync(out, { throwIfNoEntry: false })?.isDirectory()) {
    return ({ fileName }) => join(out, fileName)
  }
  if (fileIds.length > 1) throw wrong('a folder that exists, for more than one file', out)
  return () => (out === STANDARD_OUTPUT ? undefined : out)
}

function wrong(expected: string, received: string): FeedError<'OPTION_INVALID'> {
  return usageError('out', expected, received, `out must be ${expected}, not '${received}'`)
}
