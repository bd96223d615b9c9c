// Runs every file of fixtures/gzip/ as its README describes it, whole and byte by byte.

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { byteByByte } from '../codec/gzip/build-gzip'
import { runGunzip } from './gunzip-run'

const folder = new URL('../../../fixtures/gzip/', import.meta.url)
const content = readFileSync(new URL('content.tsv', folder))

/** Returns the cells of every table line that starts with a file name. */
const listed = [
  ...readFileSync(new URL('README.md', folder), 'utf8').matchAll(/^\| `(.+\.gz)` \|(.+)\|$/gm),
].map(([, file = '', cells = '']) => {
  const [, , code, byteOffset] = cells.split('|').map(cell => cell.trim())
  return { file, code, byteOffset: Number(byteOffset) }
})
const valid = listed.filter(({ code }) => code === undefined)
const malformed = listed.filter(({ code }) => code !== undefined)

test('the README lists every file, once', () => {
  const present = readdirSync(folder).filter(name => name.endsWith('.gz'))
  expect(listed.map(({ file }) => file).toSorted()).toEqual(present.toSorted())
  expect(valid.length).toBeGreaterThan(0)
  expect(malformed.length).toBeGreaterThan(0)
})

describe.each(['zlib', 'wasm', 'fflate'] as const)('Gunzip with %s', engine => {
  const runBothWays = (file: string) => {
    const bytes = readFileSync(new URL(file, folder))
    return Promise.all([runGunzip([bytes], { engine }), runGunzip(byteByByte(bytes), { engine })])
  }

  test.each(valid)('reads $file', async ({ file }) => {
    for (const { output, error } of await runBothWays(file)) {
      expect(error).toBeUndefined()
      expect(output.equals(content)).toBe(true)
    }
  })

  test.each(malformed)(
    'refuses $file with $code at $byteOffset',
    async ({ file, code, byteOffset }) => {
      for (const { error } of await runBothWays(file))
        expect(error).toMatchObject({ code, context: { byteOffset } })
    },
  )
})
