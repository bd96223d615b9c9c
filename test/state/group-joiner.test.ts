import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defineSchema, int32, text } from '../../src/engine'
import type { Row, RowBatch } from '../../src/engine/codec/row-batch'
import { FeedError } from '../../src/engine/errors'
import { pipeline } from '../../src/engine/pipeline/pipeline'
import {
  type ItemGroupColumns,
  itemGroupSchema,
  itemSchema,
} from '../../src/engine/schema/feed-schemas'
import { ColumnDecoder } from '../../src/engine/stages/column-decoder'
import { Stage } from '../../src/engine/stages/stage'
import { TsvRowParser } from '../../src/engine/stages/tsv-row-parser'
import { GroupJoiner, type JoinTally } from '../../src/state/group-joiner'
import type { JoinedGroup, JoinedItem } from '../../src/state/join/joined'
import type { MergedItem } from '../../src/state/merge/merged-item'
import { SnapshotMerger } from '../../src/state/snapshot-merger'
import { batchesOf, collect, cutBatches, outputsOf } from '../rows-from-text'

type Lines = readonly (readonly string[])[]

const itemFile = { feed: 'item', lastModified: new Date(0) } as const
const items = (...rows: Lines) =>
  batchesOf(itemSchema, itemFile, [['itemId', 'primaryItemGroupId'], ...rows])
const groups = (...rows: Lines) =>
  batchesOf(itemGroupSchema, { feed: 'item_group' }, [['itemGroupId', 'title'], ...rows])

const plainItem = (
  joined: JoinedItem<Row<never>, never> | JoinedItem<Pick<Row, 'text'>, ItemGroupColumns>,
) => [
  joined.kind,
  joined.item?.text('itemId') ?? null,
  joined.group?.text('itemGroupId') ?? null,
  joined.group?.text('title') ?? null,
]
const plainGroup = ({
  kind,
  groupId,
  group,
  items,
}: JoinedGroup<typeof itemSchema.columns, ItemGroupColumns>) => [
  kind,
  groupId,
  group?.text('title') ?? null,
  items.map(item => item.text('itemId')),
]

describe('items-with-group', () => {
  test('fault 76: a group without items and an item without its group are emitted and counted', async () => {
    const joiner = new GroupJoiner({
      groups: groups(['g2', 'no items'], ['g1', 'One'], ['g0', 'none either']),
    })
    const outputs = await outputsOf(
      joiner,
      items(['a', 'g1'], ['b', 'lost'], ['c', ''], ['d', 'g1']),
    )
    expect(outputs.flat().map(plainItem)).toEqual([
      ['joined', 'a', 'g1', 'One'],
      ['item-orphan', 'b', null, null],
      ['ungrouped', 'c', null, null],
      ['joined', 'd', 'g1', 'One'],
      ['group-orphan', null, 'g0', 'none either'],
      ['group-orphan', null, 'g2', 'no items'],
    ])
    expect(joiner.tally).toEqual({
      joined: 2,
      ungrouped: 1,
      itemOrphans: 1,
      groupOrphans: 2,
      groups: 3,
      replacedGroups: 0,
    })
  })

  test('rows are typed on both sides', async () => {
    const [joined] = (
      await outputsOf(new GroupJoiner({ groups: groups(['g', 'G']) }), items(['a', 'g']))
    ).flat()
    if (joined?.kind !== 'joined') throw new TypeError('a joined item expected')
    const title: string | null = joined.group.get('title')
    const price = joined.item.get('priceValue')
    expect([title, price?.toNumber()]).toEqual(['G', undefined])
  })

  test('fault 76: with no items at all every group is emitted, with no groups every item', async () => {
    const withoutItems = new GroupJoiner({ groups: groups(['g', 'G']) })
    expect((await outputsOf(withoutItems, [])).flat().map(plainItem)).toEqual([
      ['group-orphan', null, 'g', 'G'],
    ])
    const withoutGroups = new GroupJoiner({ groups: [] })
    expect((await outputsOf(withoutGroups, items(['a', 'g']))).flat().map(plainItem)).toEqual([
      ['item-orphan', 'a', null, null],
    ])
  })

  test('the last record of a group counts, within a batch and across batches', async () => {
    const joiner = new GroupJoiner({
      groups: [...groups(['g', '1'], ['g', '2'], ['h', 'H']), ...groups(['g', '3'])],
    })
    const outputs = await outputsOf(joiner, items(['a', 'g']))
    expect(outputs.flat().map(plainItem)).toEqual([
      ['joined', 'a', 'g', '3'],
      ['group-orphan', null, 'h', 'H'],
    ])
    expect(joiner.tally).toMatchObject({ groups: 2, replacedGroups: 2 })
  })

  test('each merged item comes with its group and its priority row', async () => {
    const merger = new SnapshotMerger()
    await outputsOf(merger, items(['b', 'g'], ['a', '']))
    const joiner = new GroupJoiner({
      groups: groups(['g', 'G']),
      row: (entry: MergedItem) => entry.row,
    })
    const outputs = await outputsOf(joiner, await collect(merger.blocks()))
    expect(
      outputs
        .flat()
        .map(({ item, group, kind }) => [
          kind,
          item?.itemId,
          item?.row.get('itemId'),
          item?.priority,
          group?.get('title'),
        ]),
    ).toEqual([
      ['ungrouped', 'a', 'a', null, undefined],
      ['joined', 'b', 'b', null, 'G'],
    ])
  })
})

describe('group-with-items', () => {
  test('fault 76: gathers items under their groups in the order of group ids, orphans of both kinds too', async () => {
    const joiner = new GroupJoiner({
      mode: 'group-with-items',
      groups: groups(['g2', 'Two'], ['g3', 'Three'], ['g1', 'One']),
    })
    const outputs = await outputsOf(
      joiner,
      items(['z', 'g2'], ['u', ''], ['y', 'g1'], ['x', 'g2'], ['w', 'g0'], ['v', 'g4']),
    )
    expect(outputs.flat().map(plainGroup)).toEqual([
      ['ungrouped', null, null, ['u']],
      ['item-orphan', 'g0', null, ['w']],
      ['joined', 'g1', 'One', ['y']],
      ['joined', 'g2', 'Two', ['z', 'x']],
      ['group-orphan', 'g3', 'Three', []],
      ['item-orphan', 'g4', null, ['v']],
    ])
    expect(joiner.tally).toEqual({
      joined: 3,
      ungrouped: 1,
      itemOrphans: 2,
      groupOrphans: 1,
      groups: 3,
      replacedGroups: 0,
    })
  })

  test('gives the same, in the same order, when the rows go to disk', async () => {
    const many = Array.from({ length: 400 }, (_, n) => [
      `i${n}`,
      n % 9 === 0 ? '' : `g${(n * 7) % 50}`,
    ])
    const their = Array.from({ length: 45 }, (_, n) => [`g${n}`, `Group ${n}`.repeat(30)])
    for (const mode of ['group-with-items', 'items-with-group'] as const) {
      const run = async (memoryBytes: number) => {
        const joiner = new GroupJoiner({ mode, groups: groups(...their), memoryBytes })
        const outputs = (await outputsOf(joiner, cutBatches(items(...many), 30))).flat() as {
          kind: string
          group: Row | null
        }[]
        return {
          tally: joiner.tally,
          contents: outputs.map(output => [
            output.kind,
            output.group?.text('title'),
            JSON.stringify(output),
          ]),
        }
      }
      expect(await run(0)).toEqual(await run(1 << 20))
    }
  })

  test.each([0, 2 ** 26])(
    'gives groups as the file has them, whatever a stage has decoded or left out, in %d bytes of memory',
    async memoryBytes => {
      const schema = defineSchema({
        name: 'item_group',
        columns: { itemGroupId: text(), size: int32(), title: text() },
      })
      const rows = (columns: readonly ('itemGroupId' | 'size')[]) =>
        pipeline([Buffer.from('itemGroupId\tsize\ttitle\ng\tbig\tG\nh\t7\tH\n')]).to(
          new TsvRowParser({ schema, columns }),
        )
      const decoded = rows(['itemGroupId', 'size']).to(new ColumnDecoder({ onBadCell: 'null' }))
      const joiner = new GroupJoiner({ groups: decoded.batches(), memoryBytes })
      const outputs = await outputsOf(joiner, items(['a', 'g'], ['b', 'h']))
      const [g, h] = outputs.flat().map(({ group }) => group!)
      expect([h!.get('size'), g!.text('size')]).toEqual([7, 'big'])
      expect(() => g!.get('size')).toThrow(expect.objectContaining({ code: 'CELL_INVALID' }))
      expect(() => g!.get('title' as string)).toThrow(
        expect.objectContaining({ code: 'COLUMN_UNKNOWN' }),
      )
      const keyless = new GroupJoiner({ groups: rows(['size']).batches(), memoryBytes })
      await expect(outputsOf(keyless, items(['a', 'g']))).rejects.toMatchObject({
        code: 'COLUMN_UNKNOWN',
      })
    },
  )

  test('finds each of many groups on disk, in any order', async () => {
    const their = Array.from({ length: 3000 }, (_, n) => [`g${n}`, `Group ${n} `.repeat(9)])
    const wanted = Array.from({ length: 2500 }, (_, n) => [`i${n}`, `g${(n * 7919) % 4000}`])
    const joiner = new GroupJoiner({ groups: groups(...their, ...their), memoryBytes: 2 ** 17 })
    const outputs = (await outputsOf(joiner, cutBatches(items(...wanted), 700))).flat()
    const title = (id: string) => their[Number(id.slice(1))]?.[1] ?? null
    expect(outputs.slice(0, 2500).map(({ group }) => group?.text('title') ?? null)).toEqual(
      wanted.map(([, id]) => title(id!)),
    )
    const used = new Set(wanted.map(([, id]) => id))
    const unused = their.map(([id]) => id!).filter(id => !used.has(id))
    expect(outputs.slice(2500).map(({ group }) => group?.text('itemGroupId'))).toEqual(
      unused.sort(),
    )
    expect(joiner.tally).toMatchObject({ groups: 3000, replacedGroups: 3000 })
  })

  test.each([0, 2 ** 26])(
    'a group past maxGroupItems is STATE_LIMIT, in %d bytes of memory',
    async memoryBytes => {
      const joiner = new GroupJoiner({
        mode: 'group-with-items',
        groups: groups(['g', 'G']),
        maxGroupItems: 2,
        memoryBytes,
      })
      await expect(
        outputsOf(joiner, items(['a', 'g'], ['b', 'g'], ['c', 'g'])),
      ).rejects.toMatchObject({
        code: 'STATE_LIMIT',
        context: { option: 'maxGroupItems', limit: 2 },
      })
    },
  )
})

describe('failures and teardown', () => {
  test('a group without its id is KEY_MISSING with its position', async () => {
    const joiner = new GroupJoiner({ groups: groups(['g', 'G'], ['', 'H']) })
    await expect(outputsOf(joiner, [])).rejects.toMatchObject({
      code: 'KEY_MISSING',
      context: { column: 'itemGroupId', row: 2, line: 3 },
    })
  })

  test('a failure of the groups’ source fails the stage with the same error', async () => {
    const failure = new FeedError('GZIP_TRUNCATED', 'cut', { byteOffset: 5, part: 'data' })
    async function* failing() {
      yield* groups(['g', 'G'])
      throw failure
    }
    await expect(outputsOf(new GroupJoiner({ groups: failing() }), items(['a', 'g']))).rejects.toBe(
      failure,
    )
  })

  test('groups are read to their end before an item is taken', async () => {
    const seen: string[] = []
    async function* slowGroups() {
      for (const id of ['g', 'h']) {
        await Promise.resolve()
        seen.push(id)
        yield* groups([id, id])
      }
    }
    const joiner = new GroupJoiner({
      groups: slowGroups(),
      row: (row: Row<typeof itemSchema.columns>) => {
        seen.push(row.text('itemId'))
        return row
      },
    })
    await outputsOf(joiner, items(['a', 'h']))
    expect(seen).toEqual(['g', 'h', 'a'])
  })

  test('destroying the stage destroys the groups’ source, before and while it is read', async () => {
    class Groups extends Stage<RowBatch<ItemGroupColumns>, RowBatch<ItemGroupColumns>> {
      protected override transform(batch: RowBatch<ItemGroupColumns>) {
        return [batch]
      }
    }
    for (const begin of [false, true]) {
      const source = new Groups()
      const joiner = new GroupJoiner({ groups: source })
      if (begin) joiner.write(items(['a', 'g'])[0]!)
      await Promise.resolve()
      joiner.destroy()
      expect(source.destroyed, String(begin)).toBe(true)
    }
  })

  test('a temporary folder that cannot be made is STATE_IO', async () => {
    const before = process.env.TMPDIR
    process.env.TMPDIR = join(tmpdir(), 'feedmill-missing')
    try {
      for (const mode of ['items-with-group', 'group-with-items'] as const) {
        const joiner = new GroupJoiner({ groups: groups(['g', 'G']), mode, memoryBytes: 0 })
        await expect(outputsOf(joiner, items(['a', 'g'])), mode).rejects.toMatchObject({
          code: 'STATE_IO',
          context: { reason: 'ENOENT' },
        })
      }
    } finally {
      if (before === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = before
    }
  })

  test.each([{ mode: 'sideways' }, { groups: 5 }, { groups: null }, { maxGroupItems: 0 }])(
    'refuses %o',
    options => {
      expect(() => new GroupJoiner({ groups: [], ...(options as object) })).toThrow(
        expect.objectContaining({ code: 'OPTION_INVALID' }),
      )
    },
  )
})

describe('any items and groups', () => {
  const groupId = fc.string({
    unit: fc.constantFrom('a', 'b', '\0', '\u00ff', '0', '\uff5e', '😀'),
    minLength: 1,
    maxLength: 3,
  })
  const groupRows = fc.array(
    fc.tuple(groupId, fc.string({ unit: fc.constantFrom('x', 'y'), maxLength: 2 })),
    { maxLength: 8 },
  )
  const itemRows = fc
    .array(fc.oneof(groupId, fc.constant('')), { maxLength: 10 })
    .map(ids => ids.map((id, n): [string, string] => [`i${n}`, id]))
  /** Bytes of memory: none, those of some rows, and those of all. */
  const memory = fc.constantFrom(0, 400, 1200, 2 ** 20)
  const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
  /** The expected join: the last record of each group, by nested loops. */
  const lastTitle = (groupRows: Lines, id: string) =>
    groupRows.findLast(([other]) => other === id)?.[1]
  const unusedIds = (itemRows: Lines, groupRows: Lines) =>
    [...new Set(groupRows.map(([id]) => id!))]
      .filter(id => !itemRows.some(([, wanted]) => wanted === id))
      .sort(byBytes)

  function tallyOf(itemRows: Lines, groupRows: Lines): JoinTally {
    const ids = new Set(groupRows.map(([id]) => id!))
    const wanted = itemRows.map(([, id]) => id!)
    return {
      joined: wanted.filter(id => ids.has(id)).length,
      ungrouped: wanted.filter(id => id === '').length,
      itemOrphans: wanted.filter(id => id !== '' && !ids.has(id)).length,
      groupOrphans: unusedIds(itemRows, groupRows).length,
      groups: ids.size,
      replacedGroups: groupRows.length - ids.size,
    }
  }

  test('items-with-group is a nested-loop join, however the inputs are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        itemRows,
        groupRows,
        fc.integer({ min: 1, max: 4 }),
        memory,
        async (itemRows, groupRows, rows, memoryBytes) => {
          const joiner = new GroupJoiner({
            groups: cutBatches(groups(...groupRows), rows),
            memoryBytes,
          })
          const outputs = await outputsOf(joiner, cutBatches(items(...itemRows), rows))
          expect(joiner.tally).toEqual(tallyOf(itemRows, groupRows))
          const expected = itemRows.map(([itemId, id]) => {
            const title = id === '' ? undefined : lastTitle(groupRows, id)
            if (title !== undefined) return ['joined', itemId, id, title]
            return [id === '' ? 'ungrouped' : 'item-orphan', itemId, null, null]
          })
          const orphans = unusedIds(itemRows, groupRows).map(id => [
            'group-orphan',
            null,
            id,
            lastTitle(groupRows, id),
          ])
          expect(outputs.flat().map(plainItem)).toEqual([...expected, ...orphans])
        },
      ),
      { numRuns: 160 },
    )
  })

  test('group-with-items is a nested-loop join, however the inputs are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        itemRows,
        groupRows,
        fc.integer({ min: 1, max: 4 }),
        memory,
        async (itemRows, groupRows, rows, memoryBytes) => {
          const joiner = new GroupJoiner({
            mode: 'group-with-items',
            groups: cutBatches(groups(...groupRows), rows),
            memoryBytes,
          })
          const outputs = (await outputsOf(joiner, cutBatches(items(...itemRows), rows)))
            .flat()
            .map(plainGroup)
          expect(joiner.tally).toEqual(tallyOf(itemRows, groupRows))
          const ids = [
            ...new Set([...groupRows.map(([id]) => id), ...itemRows.map(([, id]) => id)]),
          ]
            .filter(id => id !== '')
            .sort(byBytes)
          const expected = ids.map(id => {
            const title = lastTitle(groupRows, id)
            const members = itemRows.filter(([, wanted]) => wanted === id).map(([itemId]) => itemId)
            return [
              title === undefined ? 'item-orphan' : members.length > 0 ? 'joined' : 'group-orphan',
              id,
              title ?? null,
              members,
            ]
          })
          expect(outputs.filter(([kind]) => kind !== 'ungrouped')).toEqual(expected)
          const ungrouped = outputs
            .filter(([kind]) => kind === 'ungrouped')
            .flatMap(([, , , members]) => members)
          expect(ungrouped).toEqual(
            itemRows.filter(([, id]) => id === '').map(([itemId]) => itemId),
          )
        },
      ),
      { numRuns: 160 },
    )
  })
})
