// Runs every file of fixtures/ as its README says: valid files read as written beside them,
// malformed ones fail with the code and at the position of their line in the table.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { RowBatch } from '../src/engine/codec/row-batch'
import type { BadRowPolicy } from '../src/engine/codec/tsv/bad-row-report'
import { TsvParser } from '../src/engine/codec/tsv/parser'
import { FeedError } from '../src/engine/errors'
import type { Columns, FeedName } from '../src/engine/schema/feed-schema'
import { schemaOf } from '../src/engine/schema/feed-schemas'

const folder = new URL('../fixtures/', import.meta.url)
const FEED_FOLDERS = ['item', 'item-group', 'item-snapshot', 'item-priority']

interface Listed {
  file: string
  feed: FeedName
  origin: string
  reason: string
  [column: string]: string
}

const [validFiles = [], malformedFiles = []] = listedFiles(
  readFileSync(new URL('README.md', folder), 'utf8'),
)

/** The rows of every README table whose first column is `file`. */
function listedFiles(readme: string): Listed[][] {
  const tables = [...readme.matchAll(/(?:^\| .*\n|^\|---.*\n)+/gm)].map(([table]) =>
    table.trimEnd().split('\n').map(cellsOf),
  )
  return tables
    .filter(([head]) => head?.[0] === 'file')
    .map(([head = [], , ...lines]) =>
      lines.map(line => Object.fromEntries(head.map((name, n) => [name, line[n]])) as Listed),
    )
}

function cellsOf(line: string): string[] {
  const cells = line.slice(1, -1).split(/(?<!\\)\|/)
  return cells.map((cell, n) =>
    (n === 0 ? cell.replaceAll('`', '') : cell).replaceAll('\\|', '|').trim(),
  )
}

function bytesOf(file: string): Buffer {
  const bytes = readFileSync(new URL(file, folder))
  return file.endsWith('.gz') ? gunzipSync(bytes) : bytes
}

/** Every batch of a file that is pushed in blocks of `blockBytes`. */
function* batchesOf(
  { file, feed }: Listed,
  onBadRow: BadRowPolicy,
  blockBytes: number,
): Generator<RowBatch> {
  const bytes = bytesOf(file)
  const parser = new TsvParser<Columns>({ schema: schemaOf(feed), onBadRow })
  for (let at = 0; at < bytes.length; at += blockBytes)
    yield* parser.push(bytes.subarray(at, at + blockBytes))
  yield* parser.end()
}

function readWhole(listed: Listed, blockBytes: number): unknown[] {
  return [...batchesOf(listed, 'throw', blockBytes)].flatMap(batch =>
    [...batch].map(row => row.toObject()),
  )
}

function failureOf(listed: Listed, blockBytes: number) {
  try {
    readWhole(listed, blockBytes)
  } catch (error) {
    if (FeedError.is(error))
      return { code: error.code, context: error.context as Record<string, unknown> }
    throw error
  }
  return expect.fail(`${listed.file} was read without an error`)
}

test('the README lists every file, once', () => {
  const listed = [...validFiles, ...malformedFiles].map(({ file }) => file)
  const present = FEED_FOLDERS.flatMap(feed =>
    readdirSync(new URL(feed, folder)).map(name => `${feed}/${name}`),
  )
  expect(listed.toSorted()).toEqual(
    present.filter(file => !file.endsWith('.expected.json')).toSorted(),
  )
  expect(validFiles.length).toBeGreaterThan(0)
  expect(malformedFiles.length).toBeGreaterThan(0)
})

test('each file stands in the folder of its feed, with its origin and reason', () => {
  for (const { file, feed, origin, reason } of [...validFiles, ...malformedFiles]) {
    expect(file.split('/')[0]).toBe(feed.replace('_', '-'))
    expect(origin).not.toBe('')
    expect(reason).not.toBe('')
  }
})

describe('valid files', () => {
  test.each(validFiles)('$file: $reason', listed => {
    const beside = new URL(`${listed.file.replace(/\.tsv(\.gz)?$/, '')}.expected.json`, folder)
    expect(existsSync(beside)).toBe(true)
    const expected = JSON.parse(readFileSync(beside, 'utf8'))
    expect(expected).toHaveLength(Number(listed.rows))
    for (const blockBytes of [1, 7, 1 << 20]) {
      expect(JSON.parse(JSON.stringify(readWhole(listed, blockBytes)))).toMatchObject(expected)
    }
  })
})

describe('malformed files', () => {
  test.each(malformedFiles)('$file: $code, $reason', listed => {
    const position = { row: listed.row, line: listed.line, byteOffset: listed.byte }
    const numbers = Object.entries(position).filter(([, value]) => value !== '—')
    for (const blockBytes of [1, 7, 1 << 20]) {
      const { code, context } = failureOf(listed, blockBytes)
      expect(code).toBe(listed.code)
      expect(context).toMatchObject(
        Object.fromEntries(numbers.map(([name, value]) => [name, Number(value)])),
      )
    }
  })

  test.each(malformedFiles.filter(listed => listed['rows left'] !== '—'))(
    '$file: $rows left rows are left when bad rows are skipped',
    listed => {
      const rows = [...batchesOf(listed, 'skip', 1 << 20)].reduce(
        (sum, batch) => sum + batch.length,
        0,
      )
      expect(rows).toBe(Number(listed['rows left']))
    },
  )
})
