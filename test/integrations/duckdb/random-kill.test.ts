// Processes that load files into a DuckDB target and are killed at random moments. Rows and ledger
// are one transaction, so the database has whole files only, and the next process ends with what an
// undisturbed one has.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance, type Json } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtScripts } from '../../built-scripts'

const ROUNDS = process.env.FEEDMILL_CRASH === 'all' ? 60 : 2
const FILES = 3

/** The rows of each table, in whatever order they stand. The time of the entry is not one of them. */
type Content = Readonly<Record<string, Json>>

let built: string
let folder: string
/** The content with the first n files. */
const contents: Content[] = []
/** The lines that an undisturbed process writes. */
let wholeLines: string[] = []

beforeAll(async () => {
  built = await builtScripts('loader', { loader: 'test/integrations/duckdb/loader.ts' })
  folder = await mkdtemp(join(tmpdir(), 'feedmill-duckdb-kill-'))
  for (let files = 0; files <= FILES; files++) {
    const path = join(folder, `whole-${files}.duckdb`)
    const lines = await load(path, Number.POSITIVE_INFINITY, files)
    expect(lines.at(-1)).toBe('closed')
    wholeLines = lines
    contents.push(await contentOf(path))
  }
}, 120_000)
afterAll(async () => {
  await rm(built, { recursive: true, force: true })
  await rm(folder, { recursive: true, force: true })
})

/** Runs a process, and kills it after some lines. Returns the lines that it wrote. */
async function load(path: string, linesBeforeKill: number, files = FILES): Promise<string[]> {
  const child: ChildProcess = spawn(
    process.execPath,
    [join(built, 'loader.js'), path, String(files)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let text = ''
  child.stdout?.on('data', (part: Buffer) => {
    text += part
    if (text.split('\n').length - 1 >= linesBeforeKill) child.kill('SIGKILL')
  })
  await once(child, 'close')
  return text.trim().split('\n')
}

async function contentOf(path: string): Promise<Content> {
  const instance = await DuckDBInstance.create(path)
  const connection = await instance.connect()
  try {
    const sums = ['items', 'removals', '(SELECT * EXCLUDE (applied_at) FROM files)'].map(
      (table, n) =>
        `(SELECT count(*) || ' ' || coalesce(sum(hash(one)), 0) FROM ${table} AS one) AS sum${n}`,
    )
    const reader = await connection.runAndReadAll(
      `SELECT (SELECT count(*) FROM files) AS files, ${sums.join(', ')}`,
    )
    return reader.getRowObjectsJson()[0]!
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

test('fault 77: a process is killed while it loads, the database has whole files only, and the next process ends with the same content', async () => {
  expect(new Set(contents.map(content => JSON.stringify(content))).size).toBe(FILES + 1)
  const merges = wholeLines.flatMap((line, n) => (line === 'merge' ? [n + 1] : []))
  let kills = 0
  for (let round = 0; round < ROUNDS; round++) {
    const path = join(folder, `killed-${round}.duckdb`)
    // Every second kill comes behind the last row of a file: while rows are merged or committed.
    const at =
      round % 2 === 0
        ? merges[(round / 2) % merges.length]!
        : 1 + Math.floor(Math.random() * (wholeLines.length - 2))
    const lines = await load(path, at)
    if (lines.at(-1) !== 'closed') kills++
    const applied = lines.filter(line => line === 'applied').length
    const content = await contentOf(path)
    const files = Number(content.files)
    expect([at, content]).toEqual([at, contents[files]])
    expect([at, files - applied]).toEqual([at, files > applied ? 1 : 0])
    expect((await load(path, Number.POSITIVE_INFINITY)).at(-1)).toBe('closed')
    expect([at, await contentOf(path)]).toEqual([at, contents[FILES]])
  }
  expect(kills).toBeGreaterThan(ROUNDS / 2)
}, 900_000)
