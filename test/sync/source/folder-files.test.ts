// Which names fit a pattern: compared with a regular expression, which takes exponential time.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { folderFiles } from '../../../src/sync/source/folder-files'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-names-'))
})
afterAll(() => rm(folder, { recursive: true }))

const letter = fc.constantFrom('a', 'b', '_', '+', '😀')
const names = fc.uniqueArray(
  fc.array(letter, { minLength: 1, maxLength: 8 }).map(letters => letters.join('')),
  { minLength: 1, maxLength: 12 },
)
const patterns = fc
  .array(fc.oneof(letter, fc.constantFrom('*', '*', '?')), { minLength: 1, maxLength: 8 })
  .map(letters => letters.join(''))

test('a name fits where a regular expression says so', async () => {
  await fc.assert(
    fc.asyncProperty(names, patterns, async (all, pattern) => {
      const place = await mkdtemp(join(folder, 'case-'))
      await Promise.all(all.map(name => writeFile(join(place, name), '')))
      const listed = await folderFiles({
        folder: place,
        full: pattern,
        timeOf: () => new Date(0),
      })()
      const text = pattern.replaceAll('+', '\\+').replaceAll('*', '.*').replaceAll('?', '.')
      const fitting = all.filter(name => new RegExp(`^${text}$`, 'su').test(name))
      expect(new Set(listed.map(({ id }) => id.split(' ')[0]))).toEqual(new Set(fitting))
    }),
    { numRuns: 150 },
  )
})

test('fault 166: a pattern of many stars costs no more than its name is long', async () => {
  const place = await mkdtemp(join(folder, 'stars-'))
  await writeFile(join(place, '_'.repeat(250)), '')
  expect(await folderFiles({ folder: place, full: `${'*_'.repeat(100)}*.csv` })()).toEqual([])
  expect((await folderFiles({ folder: place, full: `${'*_'.repeat(100)}*` })()).length).toBe(1)
})
