// The file of `feedmill sample`, and what the command does where something is in its way.

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { program } from '../../src/cli/program'
import { Gunzip, itemSchema, pipeline, TsvRowParser } from '../../src/index'
import { outcomeOf } from './served'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'feedmill-sample-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const run = (...words: string[]) =>
  outcomeOf(async () => {
    await program(['node', 'feedmill']).parseAsync(['node', 'feedmill', 'sample', ...words])
  })

test('an item feed with the headings of the service, and the command says how many rows', async () => {
  const path = join(folder, 'items.tsv.gz')
  const { out, error } = await run(path, '--items', '60')
  expect(error).toBeUndefined()
  const bytes = readFileSync(path)
  expect(gunzipSync(bytes).toString()).toMatch(/^ItemId\tTitle\t.*\tPriceValue\t/)
  const rows = await pipeline([bytes])
    .to(new Gunzip())
    .to(new TsvRowParser({ schema: itemSchema }))
    .map(row => row.toObject())
    .toArray()
  expect(rows.length).toBeGreaterThan(30)
  expect(rows.every(({ itemId, title }) => itemId !== null && title !== null)).toBe(true)
  expect(out[0]).toContain(`: an item feed of ${rows.length} rows, `)
  expect(out[1]).toBe(`See what is in it: npx feedmill inspect ${path}`)
})

test('equal numbers make equal files, another seed another', async () => {
  const bytesOf = async (name: string, ...words: string[]) => {
    const path = join(folder, name)
    const { out } = await run(path, '--items', '20', '--json', ...words)
    const bytes = readFileSync(path)
    expect(JSON.parse(out[0]!)).toEqual({ path, rows: expect.any(Number), bytes: bytes.length })
    return bytes
  }
  const one = await bytesOf('one')
  expect((await bytesOf('two')).equals(one)).toBe(true)
  expect((await bytesOf('three', '--seed', '8')).equals(one)).toBe(false)
})

test.each<[string, (path: string) => void]>([
  ['a file', path => writeFileSync(path, 'mine')],
  ['a folder', path => mkdirSync(path)],
  ['a link', path => symlinkSync(join(folder, 'elsewhere'), path)],
])('%s at the path is refused and stays as it is', async (_, put) => {
  const path = join(folder, 'items.tsv.gz')
  put(path)
  const { out, error } = await run(path, '--items', '10')
  expect(error).toMatchObject({ code: 'OPTION_INVALID', context: { option: '<file>' } })
  expect(out).toEqual([])
  expect(readdirSync(folder)).toEqual(['items.tsv.gz'])
})

test.each([['0'], ['x'], ['-1']])('--items %s is refused', async items => {
  const { error } = await run(join(folder, 'x'), '--items', items)
  expect(error).toMatchObject({ code: 'commander.invalidArgument' })
  expect(readdirSync(folder)).toEqual([])
})
