import { expect, test } from 'vitest'
import { itemGroupSchema, itemSchema } from '../../src/engine/schema/feed-schemas'
import { GroupJoiner } from '../../src/state/group-joiner'
import { KEY_LIMIT_BYTES } from '../../src/state/row-key'
import { SnapshotMerger } from '../../src/state/snapshot-merger'
import { batchesOf, outputsOf } from '../rows-from-text'

const file = { feed: 'item', lastModified: new Date(0) } as const
const items = (...rows: string[][]) =>
  batchesOf(itemSchema, file, [['itemId', 'primaryItemGroupId'], ...rows])
const groups = (...rows: string[][]) =>
  batchesOf(itemGroupSchema, { feed: 'item_group' }, [['itemGroupId', 'title'], ...rows])

/** The longest key, of two-byte characters, and one byte more. */
const LONGEST = 'é'.repeat(KEY_LIMIT_BYTES / 2)
const TOO_LONG = `${LONGEST}x`
const MEGABYTE = 'k'.repeat(1_000 << 10)

test.each([TOO_LONG, MEGABYTE])(
  'fault 97: a key that is too long is KEY_TOO_LONG with its position, in merger and joiner (%#)',
  async key => {
    const told = { bytes: Buffer.byteLength(key), limitBytes: KEY_LIMIT_BYTES, row: 2, line: 3 }
    const failure = (work: Promise<unknown>) =>
      work.then(
        () => 'none',
        error => error,
      )
    const cases = [
      ['itemId', outputsOf(new SnapshotMerger(), items(['a', ''], [key, '']))],
      [
        'primaryItemGroupId',
        outputsOf(new GroupJoiner({ groups: [] }), items(['a', ''], ['b', key])),
      ],
      [
        'primaryItemGroupId',
        outputsOf(
          new GroupJoiner({ groups: [], mode: 'group-with-items' }),
          items(['a', ''], ['b', key]),
        ),
      ],
      ['itemGroupId', outputsOf(new GroupJoiner({ groups: groups(['a', ''], [key, '']) }), [])],
    ] as const
    for (const [column, work] of cases) {
      const error = await failure(work)
      expect(error).toMatchObject({ code: 'KEY_TOO_LONG', context: { column, ...told } })
      expect(error.context.excerpt.length).toBeLessThanOrEqual(80)
    }
  },
)

test('fault 97: the longest keys can be merged and joined', async () => {
  const merged = (await outputsOf(new SnapshotMerger(), items([LONGEST, '']))).flat()
  expect(merged.map(({ itemId, kind }) => [itemId, kind])).toEqual([[LONGEST, 'inserted']])
  const joined = (
    await outputsOf(new GroupJoiner({ groups: groups([LONGEST, 'G']) }), items(['a', LONGEST]))
  ).flat()
  expect(joined.map(({ kind }) => kind)).toEqual(['joined'])
})
