// A file of the shape of the largest real category becomes a state folder: by a run that nobody
// disturbs, for its time, and by runs of which three are killed at random times. The folder behind
// them must have what the file has.

import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { benchFailed } from '../../src/bench/bench-failed'
import { inFreshProcess as inProcess } from '../../src/bench/fresh-process'
import { machineLine, thisMachine } from '../../src/bench/machine'
import { FeedError } from '../../src/index'
import type { BenchFeed } from '../bench-feed'
import { wholeNumber } from '../bench-options'
import { prepareFeed } from '../data'
import { costOf } from '../scale/measure'
import type { KilledResults, KilledTask } from './killed-process'

const DATA = '.tmp/bench-data'
const TIME_LIMIT_MS = 30 * 60 * 1000
const KILLS = 3

function inFreshProcess<Kind extends KilledTask['kind']>(
  kind: Kind,
  { path, columns }: BenchFeed,
  folder: string,
  timeLimitMs = TIME_LIMIT_MS,
): Promise<KilledResults[Kind]> {
  const task: KilledTask = { kind, feed: { path, columns }, folder }
  return inProcess({
    script: fileURLToPath(new URL('./killed-process.js', import.meta.url)),
    task,
    timeLimitMs,
    failed: how => benchFailed(kind, how),
  })
}

const { values } = parseArgs({ options: { mb: { type: 'string', default: '1000' } } })
const megabytes = wholeNumber('--mb', values.mb, 1, 100_000)
console.log(machineLine(thisMachine()))
const feed = await prepareFeed({ shape: 'clothing', seed: 1, megabytes }, DATA)
console.log(`${feed.rows} rows, ${mb(feed.rawBytes)} of TSV in ${mb(feed.gzipBytes)} of gzip`)
const [whole, killed] = [`${DATA}/whole`, `${DATA}/killed`]
for (const folder of [whole, killed]) await rm(folder, { recursive: true, force: true })

const undisturbed = await inFreshProcess('sync', feed, whole)
console.log(`undisturbed: ${costOf(undisturbed)}`)
for (let kill = 0; kill < KILLS; kill++) {
  // A run reads the file from its beginning, and sorts only what those before have not saved.
  const seconds = 0.5 * undisturbed.seconds * Math.random()
  try {
    await inFreshProcess('sync', feed, killed, 1000 * seconds)
    console.log(`ended before it could be killed, after ${seconds.toFixed(1)} s`)
  } catch (error) {
    if (!FeedError.is(error) || !error.message.includes('did not end')) throw error
    console.log(`killed after ${seconds.toFixed(1)} s`)
  }
}
console.log(`the run behind them: ${costOf(await inFreshProcess('sync', feed, killed))}`)
const truth = await inFreshProcess('truth', feed, whole)
const { storeBytes, digest } = await inFreshProcess('digest', feed, killed)
const isSame = JSON.stringify(digest) === JSON.stringify(truth)
console.log(
  `${mb(storeBytes)} on the disk, ${(storeBytes / feed.rawBytes).toFixed(2)} × the TSV: ` +
    (isSame ? 'has what the file has' : `DIFFERS, ${JSON.stringify({ digest, truth })}`),
)
if (!isSame) process.exitCode = 1
for (const folder of [whole, killed]) await rm(folder, { recursive: true, force: true })

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}
