// Feeds of one's own: whole runs over lists of files, against a naive merge of the same files.
// Long: it synchronises many small lists.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChangeSink } from '../../../src/sync/folder/change-log'
import { SimulatedMachine } from '../simulated-machine'
import { FOLDER } from '../small-run'
import { type NaiveFile, naiveMerge } from './naive-merge'
import { lineOf, rowsIn, SmallFeed, type SmallFile, type SmallRow } from './small-feed'

function inOrder(a: SmallFile, b: SmallFile): number {
  return a.minute - b.minute || Number(b.kind === 'full') - Number(a.kind === 'full')
}

/** @param text returns the text of a column */
function lineOfText(text: (column: string) => string): string {
  const [sku, title] = [text('sku'), text('title')]
  return lineOf({ sku, revision: Number(text('revision')), gone: false, title })
}

const row = (revision: fc.Arbitrary<number>): fc.Arbitrary<SmallRow> =>
  fc.record({
    sku: fc.constantFrom('a', 'b', 'c', 'é', 'a, b', 'd1', 'd2').map(sku => sku.replace(',', ';')),
    revision,
    gone: fc.integer({ min: 0, max: 5 }).map(n => n === 0),
    title: fc.constantFrom('plain', 'with "quotes", and\na line end', 'ü\ttab', ''),
  })
const fileWith = (revision: fc.Arbitrary<number>): fc.Arbitrary<SmallFile> =>
  fc.record({
    kind: fc.constantFrom('full' as const, 'changes' as const, 'changes' as const),
    minute: fc.integer({ min: 0, max: 30 }),
    rows: fc.array(row(revision), { maxLength: 12 }),
  })

/** Full files of one time are one file. */
const lists = (revision = fc.integer({ min: 1, max: 6 })) =>
  fc
    .array(fileWith(revision), { minLength: 1, maxLength: 9 })
    .map(files =>
      files
        .filter(
          (file, n) =>
            file.kind !== 'full' ||
            !files.slice(0, n).some(other => other.kind === 'full' && other.minute === file.minute),
        )
        .map((file, n): NaiveFile => ({ ...file, id: `${file.kind}-${n}` })),
    )

describe('the rows of a list of files', () => {
  test('are those of a naive merge, whatever the versions are, where files arrive in their order', async () => {
    await fc.assert(
      fc.asyncProperty(lists(), fc.nat(), async (files, seed) => {
        const machine = new SimulatedMachine(seed)
        const feed = new SmallFeed()
        const sorted = files.toSorted(inOrder)
        for (const file of sorted) {
          feed.add(file)
          feed.files.reverse()
          await feed.sync(machine.start()).summary
          expect(await rowsIn(machine.start())).toEqual(
            naiveMerge(sorted.slice(0, sorted.indexOf(file) + 1), true),
          )
        }
      }),
      { numRuns: 60 },
    )
  })

  test('are reached by the changes that are told, from the first full file on', async () => {
    await fc.assert(
      fc.asyncProperty(lists(), fc.nat(), async (files, seed) => {
        const machine = new SimulatedMachine(seed)
        const feed = new SmallFeed()
        const lines = new Map<string, string>()
        const changes: ChangeSink = {
          write: told => {
            for (const { kind, id, row } of told) {
              expect([id, kind === 'inserted']).toEqual([id, !lines.has(id)])
              if (row === null) lines.delete(id)
              else
                lines.set(
                  id,
                  lineOfText(name => row.text(name)),
                )
            }
          },
        }
        for (const [n, file] of files.toSorted(inOrder).entries()) {
          feed.add(file)
          await feed.sync(machine.start(), { changes }).summary
          const rows = await rowsIn(machine.start())
          // The first file is no change where it is a full one.
          if (n === 0 && file.kind === 'full')
            for (const line of rows) lines.set(line.split(',').at(-4)!, line)
          expect([...lines.values()].sort()).toEqual(rows.toSorted())
        }
      }),
      { numRuns: 40 },
    )
  })

  test('fault 129: are those of a naive merge by the times of the files, in whatever order files arrive', async () => {
    await fc.assert(
      fc.asyncProperty(lists(), fc.nat(), async (files, seed) => {
        const machine = new SimulatedMachine(seed)
        const feed = new SmallFeed()
        const { version: _, ...source } = feed.source()
        for (const [n, file] of files.entries()) {
          feed.add(file)
          if (n % 2 === seed % 2) await feed.sync(machine.start(), { source }).summary
        }
        await feed.sync(machine.start(), { source }).summary
        expect(await rowsIn(machine.start())).toEqual(naiveMerge(files, false))
        expect((await feed.sync(machine.start(), { source }).summary).files).toBe(0)
      }),
      { numRuns: 60 },
    )
  })

  test('are whole where many full files follow each other, and their runs are merged', async () => {
    const machine = new SimulatedMachine(0)
    const feed = new SmallFeed()
    const files: NaiveFile[] = []
    for (let minute = 0; minute < 30; minute++) {
      const skus = 'abcdefgh'.split('').filter((_, n) => (n + minute) % 3 > 0 || n === 7)
      const rows = skus.map(sku => ({ sku, revision: minute, gone: false, title: `at ${minute}` }))
      files.push({ id: `${minute}`, kind: minute % 5 === 4 ? 'changes' : 'full', minute, rows })
      feed.add(files.at(-1)!)
      await feed.sync(machine.start()).summary
      expect(await rowsIn(machine.start())).toEqual(naiveMerge(files, true))
    }
    const runs = [...machine.filesUnder(FOLDER).keys()].filter(path => path.endsWith('.run'))
    expect(runs.length).toBeLessThan(10)
  })
})
