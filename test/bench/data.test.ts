// The measured files: written once, described truly.

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { prepareCopies, prepareFeed, prepareRaw } from '../../bench/data'
import { SHAPE_NAMES } from '../../bench/shapes/shape'
import { smallFeed } from './small-feed'

const { feed, directory } = await smallFeed()

test.each(SHAPE_NAMES)('%s: as large as asked for, written once, by its seed', async shape => {
  const wanted = { shape, seed: 1, megabytes: 1 }
  const feed = await prepareFeed(wanted, directory)
  expect(feed.rawBytes).toBeGreaterThan(0.9e6)
  expect(feed.rawBytes).toBeLessThan(1.1e6)
  expect(feed.columns).toHaveLength(39)
  expect(feed.copies).toBe(1)
  expect(await prepareFeed(wanted, directory)).toEqual(feed)
  const other = await prepareFeed({ ...wanted, seed: 2 }, directory)
  expect(other.rawSha256).not.toBe(feed.rawSha256)
})

test('the same not compressed', async () => {
  const raw = await prepareRaw(feed)
  const bytes = await readFile(raw.path)
  expect(raw).toEqual({ ...feed, path: raw.path })
  expect(bytes.length).toBe(feed.rawBytes)
  expect(sha256(bytes)).toBe(feed.rawSha256)
})

test('three times the rows under one header', async () => {
  const large = await prepareCopies(feed, 3)
  const compressed = await readFile(large.path)
  const bytes = gunzipSync(compressed)
  expect(large.gzipBytes).toBe(compressed.length)
  expect(large.rawBytes).toBe(bytes.length)
  expect(large.rawSha256).toBe(sha256(bytes))
  expect(large.rows).toBe(3 * feed.rows)
  expect(large.copies).toBe(3)
  const lines = bytes.toString().trimEnd().split('\n')
  expect(lines).toHaveLength(1 + large.rows)
  expect(lines.filter(line => line === lines[0])).toHaveLength(1)
  expect(lines.slice(1 + feed.rows, 1 + 2 * feed.rows)).toEqual(lines.slice(1, 1 + feed.rows))
})

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
