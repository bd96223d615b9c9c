// The table of faults in test/README.md, held against the tests: what it calls done is proven by a
// test under the row's number.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface FaultRow {
  readonly number: number
  readonly state: string
  readonly files: readonly string[]
}

/** The numbers up to this one have no gap: a row that is lost is noticed. */
const UNBROKEN = 140

const rows = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
  .split('\n')
  .filter(line => /^\| \d+ \|/.test(line))
  .map(rowOf)

const testedIn = faultsByFile()

function rowOf(line: string): FaultRow {
  const cells = line.split(' | ')
  const [state = '', files = ''] = cells.slice(-2)
  return {
    number: Number(cells[0]!.slice(2)),
    state,
    files: [...files.matchAll(/`([^`]+)`/g)].map(([, path]) => `${path}.test.ts`),
  }
}

/** The numbers in each test file's titles. A test that does not run proves nothing. */
function faultsByFile(): Map<string, Set<number>> {
  const paths = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
    path => path.endsWith('.test.ts'),
  )
  return new Map(
    paths.map(path => {
      const text = readFileSync(join(import.meta.dirname, path), 'utf8')
      const titles = [...text.matchAll(/([\w.]*)\(\s*['"`]fault (\d+): \S/g)].filter(
        ([, call]) => !/\.(skip|todo|fails)/.test(call!),
      )
      return [path, new Set(titles.map(([, , number]) => Number(number)))]
    }),
  )
}

test('the table has every fault once, in order', () => {
  const numbers = rows.map(({ number }) => number)
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  expect(numbers.slice(0, UNBROKEN)).toEqual(Array.from({ length: UNBROKEN }, (_, n) => n + 1))
})

test('every fault is proven', () => {
  expect(rows.filter(({ state }) => state !== 'done')).toEqual([])
})

test('a fault that is done names files, and each has a test under its number', () => {
  const done = rows.filter(({ state }) => state === 'done')
  expect(done.filter(({ files }) => files.length === 0)).toEqual([])
  const unproven = done.flatMap(({ number, files }) =>
    files.filter(file => !testedIn.get(file)?.has(number)).map(file => `${number}: ${file}`),
  )
  expect(unproven).toEqual([])
})

test('a fault that the title of a test names has its row', () => {
  const known = new Set(rows.map(({ number }) => number))
  const unknown = [...testedIn].flatMap(([file, numbers]) =>
    [...numbers]
      .filter(number => !known.has(number))
      .map(number => `the table of faults in test/README.md lacks ${number} (${file})`),
  )
  expect(unknown).toEqual([])
})
