// The measured files: written once, described truly.

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { prepareCopies, prepareFeed, prepareRaw } from '../../bench/data'
import { SHAPE_NAMES, shapes } from '../../bench/shapes/shape'
import { smallFeed } from './small-feed'

const { feed, directory } = await smallFeed()

test.each(SHAPE_NAMES)('%s: as large as asked for, written once, by its seed', async shape => {
  const wanted = { shape, seed: 1, megabytes: 1 }
  const feed = await prepareFeed(wanted, directory)
  expect(feed.rawBytes).toBeGreaterThan(0.9e6)
  expect(feed.rawBytes).toBeLessThan(1.1e6)
  expect(feed.columns).toEqual((await shapes[shape]()).columns)
  expect(feed.copies).toBe(1)
  expect(await prepareFeed(wanted, directory)).toEqual(feed)
  const other = await prepareFeed({ ...wanted, seed: 2 }, directory)
  expect(other.rawSha256).not.toBe(feed.rawSha256)
})

test('the document states the size of a row and how far a file compresses', async () => {
  const lines = (await readFile('bench/README.md', 'utf8')).split('\n')
  const stated = lines.flatMap(line => {
    const [, shape, , bytes, ratio] = line.replaceAll('\\|', '').split('|')
    const name = SHAPE_NAMES.find(known => shape?.trim() === `\`${known}\``)
    return name && bytes && ratio ? [[name, numberOf(bytes), numberOf(ratio)] as const] : []
  })
  expect(stated.map(([name]) => name)).toEqual(SHAPE_NAMES)
  for (const [shape, bytesPerRow, ratio] of stated) {
    const { rawBytes, gzipBytes, rows } = await prepareFeed(
      { shape, seed: 1, megabytes: 5 },
      directory,
    )
    expect(isNear(rawBytes / rows, bytesPerRow), `bytes a row of ${shape}`).toBe(true)
    expect(isNear(rawBytes / gzipBytes, ratio), `ratio of ${shape}`).toBe(true)
  }
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

function numberOf(text: string): number {
  return Number(text.replaceAll(',', ''))
}

function isNear(measured: number, stated: number): boolean {
  return Math.abs(measured / stated - 1) < 0.03
}
