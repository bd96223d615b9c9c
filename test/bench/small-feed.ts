// A file of about 1 MB for the benchmark's own tests, in a folder that goes when they are over.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { BenchFeed } from '../../bench/bench-feed'
import { prepareFeed } from '../../bench/data'
import type { ShapeName } from '../../bench/shapes/shape'

export async function smallFeed(
  shape: ShapeName = 'repeating',
): Promise<{ feed: BenchFeed; directory: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'feedmill-bench-'))
  afterAll(() => rm(directory, { recursive: true }))
  return { feed: await prepareFeed({ shape, seed: 1, megabytes: 1 }, directory), directory }
}
