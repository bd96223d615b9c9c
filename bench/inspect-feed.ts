// The file that `npm run inspect:proof` and `npm run bench:inspect` read: 400 MB before compression.

import type { BenchFeed } from './bench-feed'
import { prepareFeed } from './data'

const SEED = 7
const MEGABYTES = 400

export function inspectFeed(): Promise<BenchFeed> {
  return prepareFeed({ shape: 'repeating', seed: SEED, megabytes: MEGABYTES }, '.tmp/bench-data')
}
