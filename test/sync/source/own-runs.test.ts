// Runs over a feed of one's own: what they refuse, keep and repeat, and how they survive.
// Long: it runs a synchronisation for each call at which the machine may die.

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import { defineSchema, text } from '../../../src/index'
import { checkedLine, readCheckedLines } from '../../../src/sync/file/spool'
import { fileIdKey } from '../../../src/sync/file-id'
import { statePaths } from '../../../src/sync/folder/state-paths'
import { openState } from '../../../src/sync/read/open-state'
import { replayIntoState } from '../../../src/sync/run/replay-into-state'
import type { SyncSummary } from '../../../src/sync/run/sync-events'
import { SimulatedMachine } from '../simulated-machine'
import { FOLDER } from '../small-run'
import { lineOf, rowsIn, SmallFeed, type SmallRow, schema, textOf, timeOf } from './small-feed'

const stock = (sku: string, revision: number, title = ''): SmallRow => {
  return { sku, revision, gone: false, title }
}
const codeOf = (error: unknown) => (FeedError.is(error) ? error.code : String(error))
const failureOf = (run: { readonly summary: Promise<SyncSummary> }) =>
  run.summary.then(() => 'none', codeOf)

async function ledgerIn(machine: SimulatedMachine): Promise<string[]> {
  const state = await openState(FOLDER, { environment: machine.start() })
  const ids = state.feed({ name: 'stock', schema }).files.map(({ id }) => fileIdKey(id))
  await state.close()
  return ids
}

describe('a run over a feed', () => {
  test('applies a file once, and ignores what the list says of it later', async () => {
    const machine = new SimulatedMachine(0)
    const feed = new SmallFeed()
    const { from } = feed.add({ kind: 'full', minute: 1, rows: [stock('a', 1)] })
    const { files, rows, categories } = await feed.sync(machine.start()).summary
    expect([files, rows, categories[0]!.watermark]).toEqual([1, 1, timeOf(1)])
    writeFileSync(from as string, textOf([stock('b', 2)]))
    feed.files = [{ ...feed.files[0]!, kind: 'changes', time: timeOf(9) }]
    expect((await feed.sync(machine.start()).summary).files).toBe(0)
    expect(await rowsIn(machine.start())).toEqual([lineOf(stock('a', 1))])
    expect(await ledgerIn(machine)).toEqual([
      'own/stock/own/2026-03-01T00:01:00.000Z/full/full-1-0',
    ])
  })

  test('reads files as they come, by the options of the dialect', async () => {
    const machine = new SimulatedMachine(0)
    const feed = new SmallFeed()
    const names = 'title;sku;gone;revision;extra'
    const lines = ['sep=;', 'Report', names, '', 'NA; a ;false;1', names, '"x;y";b;false;2;3']
    const bytes = Buffer.from(lines.join('\r\n'), 'utf16le')
    feed.add({ kind: 'full', minute: 1, rows: [] }, bytes)
    const dialect = {
      encoding: 'utf-16le',
      skipLines: 2,
      nulls: ['NA'],
      trim: true,
      shortRows: 'fill',
      blankLines: 'skip',
      repeatedHeader: 'skip',
    } as const
    const source = feed.source({ dialect })
    expect((await feed.sync(machine.start(), { source }).summary).rows).toBe(2)
    const state = await openState(FOLDER, { environment: machine.start() })
    const rows = await Promise.all(['a', 'b'].map(key => state.feed(source).row(key)))
    expect(rows.map(row => [row?.get('title'), row?.get('revision')])).toEqual([
      [null, 1n],
      ['x;y', 2n],
    ])
    await state.close()
  })

  test('reads lines of JSON, and passes over names that it does not store', async () => {
    const machine = new SimulatedMachine(0)
    const feed = new SmallFeed()
    const dialect = { quoting: 'json-lines' } as const
    const rows = [
      { gone: false, sku: 'a', revision: 1, title: 'x\ty\n"z"', size: { cm: 1.5 } },
      { sku: 'b', revision: 2, title: null, gone: false },
    ]
    const lines = rows.map(row => `${JSON.stringify(row)}\n`).join('')
    feed.add({ kind: 'full', minute: 0, rows: [] }, Buffer.from(lines))
    const later = '{"sku":"b","gone":true,"revision":1234567890123}\n["b"]\n'
    feed.add({ kind: 'changes', minute: 1, rows: [] }, Buffer.from(later))
    const source = feed.source({ dialect })
    expect((await feed.sync(machine.start(), { source }).summary).rows).toBe(3)
    const state = await openState(FOLDER, { environment: machine.start() })
    const row = await state.feed(source).row('a')
    expect(row?.toStrings()).toMatchObject({ title: 'x\ty\n"z"', size: '{"cm":1.5}' })
    expect(await state.feed(source).row('b')).toBeUndefined()
    await state.close()
    const many = `${'{"sku":"a","revision":1,"x":1}\n'.repeat(1001)}{"sku":"b","revision":1,"mail":"m"}\n`
    for (const onlySchema of [false, true]) {
      const other = new SimulatedMachine(0)
      const wide = new SmallFeed()
      wide.add({ kind: 'full', minute: 0, rows: [] }, Buffer.from(many))
      const own = wide.source({ dialect, onlySchema })
      await wide.sync(other.start(), { source: own }).summary
      const stored = await openState(FOLDER, { environment: other.start() })
      expect((await stored.feed(own).row('b'))?.get('sku')).toBe(onlySchema ? 'b' : undefined)
      const names = (await stored.feed(own).row('a'))!.batch.header.columns.map(one => one.name)
      expect(names.includes('x')).toBe(!onlySchema)
      await stored.close()
    }
  })

  test('holds back what is behind a damaged file, and goes on when it is mended', async () => {
    const machine = new SimulatedMachine(0)
    const feed = new SmallFeed()
    feed.add({ kind: 'full', minute: 0, rows: [stock('a', 1)] })
    const rows = [stock('b', 2, 'text'.repeat(99))]
    const { from } = feed.add({ kind: 'changes', minute: 2, rows })
    const whole = readFileSync(from as string)
    feed.add({ kind: 'changes', minute: 4, rows: [stock('c', 3)] })
    const damages = [
      whole.subarray(0, -9),
      Buffer.from(whole).fill(0, 20, 24),
      whole.subarray(0, 0),
      Buffer.from('no header\n'),
    ]
    for (const damaged of damages) {
      writeFileSync(from as string, damaged)
      expect(await failureOf(feed.sync(machine.start()))).toBe('SYNC_FILE_FAILED')
      const summary = await feed.sync(machine.start(), { strict: false }).summary
      expect(summary.failed.map(({ file }) => fileIdKey(file).split('/').at(-1))).toEqual([
        'changes-2-1',
      ])
      expect(summary.categories).toMatchObject([{ watermark: timeOf(0), done: 1, ready: 1 }])
    }
    rmSync(from as string)
    expect(await failureOf(feed.sync(machine.start()))).toBe('SYNC_FILE_FAILED')
    writeFileSync(from as string, whole)
    expect((await feed.sync(machine.start()).summary).files).toBe(2)
    expect(await rowsIn(machine.start())).toEqual(
      [stock('a', 1), ...rows, stock('c', 3)].map(lineOf),
    )
  })

  test('begins with the newest full file that it can have, and needs none before it', async () => {
    const feed = new SmallFeed()
    for (const minute of [0, 10, 20]) feed.add({ kind: 'full', minute, rows: [stock('a', minute)] })
    feed.add({ kind: 'changes', minute: 15, rows: [stock('b', 15)] })
    feed.add({ kind: 'changes', minute: 20, rows: [stock('c', 20)] })
    const machine = new SimulatedMachine(0)
    expect((await feed.sync(machine.start()).summary).files).toBe(2)
    const damaged = new SimulatedMachine(0)
    writeFileSync(feed.files[2]!.from as string, 'nothing')
    const summary = await feed.sync(damaged.start(), { strict: false }).summary
    expect([summary.files, summary.failed.length]).toEqual([2, 1])
    expect(await rowsIn(damaged.start())).toEqual([lineOf(stock('a', 10)), lineOf(stock('b', 15))])
  })

  test('refuses a full file that lacks most rows, an empty one too, until it is allowed', async () => {
    const machine = new SimulatedMachine(0)
    const feed = new SmallFeed()
    const rows = Array.from({ length: 120 }, (_, n) => stock(`s${n}`, 1))
    feed.add({ kind: 'full', minute: 0, rows })
    const dialect = {
      delimiter: ',',
      quoting: 'doubled',
      header: ['title', 'sku', 'gone', 'revision', 'extra'],
    } as const
    const source = feed.source({ dialect })
    const headless = (of: readonly SmallRow[]) =>
      Buffer.from(of.map(row => `${lineOf(row)}\n`).join(''))
    writeFileSync(feed.files[0]!.from as string, headless(rows))
    await feed.sync(machine.start(), { source }).summary
    for (const left of [rows.slice(0, 50), []]) {
      const minute = 120 - left.length
      feed.add({ kind: 'full', minute, rows: left }, headless(left))
      const run = feed.sync(machine.start(), { source, mode: 'follow', pollMs: 1, progressMs: 20 })
      const failures: string[] = []
      let polls = 0
      for await (const event of run) {
        if (event.type === 'failed') failures.push(event.error.code)
        if (event.type === 'progress' && failures.length > 0 && ++polls === 3) break
      }
      expect(failures).toEqual(['SYNC_REMOVAL_REFUSED'])
      expect((await rowsIn(machine.start())).length).toBe(120)
      feed.files.pop()
    }
    feed.add({ kind: 'full', minute: 200, rows: [] }, headless([]))
    await feed.sync(machine.start(), { source, maxRemovedShare: 1 }).summary
    expect(await rowsIn(machine.start())).toEqual([])
  })

  test('follows a list that grows, and asks again for one that fails', async () => {
    const machine = new SimulatedMachine(0)
    const feed = new SmallFeed()
    feed.add({ kind: 'full', minute: 0, rows: [stock('a', 1)] })
    let asked = 0
    const files = async () => {
      if (++asked % 2 === 0) throw new RangeError('the bucket is busy')
      if (asked === 3) feed.add({ kind: 'changes', minute: 1, rows: [stock('b', 2)] })
      return feed.files
    }
    const run = feed.sync(machine.start(), {
      source: feed.source({ files }),
      mode: 'follow',
      pollMs: 1,
    })
    for await (const event of run)
      if (event.type === 'watermark' && event.watermark.getTime() === timeOf(1).getTime()) break
    expect(await failureOf(run)).toBe('ABORTED')
    expect(await rowsIn(machine.start())).toEqual([lineOf(stock('a', 1)), lineOf(stock('b', 2))])
    const failing = feed.source({ files: () => Promise.reject(new RangeError('no bucket')) })
    const error = await feed
      .sync(machine.start(), { source: failing })
      .summary.catch(cause => cause)
    expect([codeOf(error), error.message]).toEqual([
      'STAGE_FAILED',
      expect.stringContaining('no bucket'),
    ])
  })

  test('refuses another key or version for the rows that it has, and shares a folder with other feeds', async () => {
    const machine = new SimulatedMachine(0)
    const feed = new SmallFeed()
    feed.add({ kind: 'full', minute: 0, rows: [stock('a', 1, 'one')] })
    await feed.sync(machine.start()).summary
    const { version: _, ...unversioned } = feed.source()
    for (const source of [feed.source({ key: 'title' }), unversioned])
      expect(await failureOf(feed.sync(machine.start(), { source }))).toBe('STATE_FOREIGN')
    const other = feed.source({ name: 'titles', key: 'title' })
    await feed.sync(machine.start(), { source: other }).summary
    const state = await openState(FOLDER, { environment: machine.start() })
    expect([state.categories, state.origin]).toEqual([[], { marketplace: 'own', service: 'own' }])
    expect((await state.feed(other).row('one'))?.get('sku')).toBe('a')
    expect(await state.feed(feed.source()).row('one')).toBeUndefined()
    expect(() => state.feed({ name: 'none', schema })).toThrow(/stock, titles/)
    await state.close()
  })

  test('goes on in a folder that does not know the kind of its versions', async () => {
    const machine = new SimulatedMachine(0)
    const feed = new SmallFeed()
    const folder = statePaths(FOLDER).runsOf({ marketplace: 'own', categoryId: 'stock' })
    const manifestOf = () =>
      readCheckedLines(Buffer.from(machine.filesUnder(folder).get(`${folder}/manifest.json`)!))[0]!
        .record
    feed.add({ kind: 'full', minute: 0, rows: [stock('a', 1)] })
    await feed.sync(machine.start()).summary
    const { kept, ...rest } = manifestOf()
    expect(kept).toEqual({ key: 'sku', version: 'revision', versionType: 'number' })
    const earlier = { ...rest, kept: { key: 'sku', version: 'revision' } }
    machine.damage(`${folder}/manifest.json`, () => Buffer.from(checkedLine(earlier)))
    feed.add({ kind: 'changes', minute: 1, rows: [stock('a', 2)] })
    await feed.sync(machine.start()).summary
    expect(await rowsIn(machine.start())).toEqual([lineOf(stock('a', 2))])
    expect(manifestOf().kept).toEqual(kept)
  })

  test('takes a schema that demands more than the files before it have', async () => {
    const machine = new SimulatedMachine(0)
    const feed = new SmallFeed()
    feed.add({ kind: 'full', minute: 0, rows: [stock('a', 1), stock('b', 1)] })
    await feed.sync(machine.start(), { changes: 'files' }).summary
    const columns = { ...schema.columns, colour: text({ notNull: true }) }
    const wider = defineSchema({ name: 'stock', columns })
    const source = { ...feed.source(), schema: wider } as never
    for (let minute = 1; minute < 9; minute++) {
      const lines = ['sku,revision,gone,title,colour', `a,${minute},false,,red`, 'b,1,false,,']
      const kind = minute === 1 ? 'changes' : 'full'
      feed.add({ kind, minute, rows: [] }, Buffer.from(`${lines.join('\n')}\n`))
      await feed.sync(machine.start(), { source, changes: 'files', changeRows: 'both' }).summary
    }
    expect(await rowsIn(machine.start())).toEqual([lineOf(stock('a', 8)), lineOf(stock('b', 1))])
    const state = await openState(FOLDER, { environment: machine.start() })
    const row = await state.feed({ name: 'stock', schema: wider }).row('a')
    expect(row?.get('colour')).toBe('red')
    await state.close()
  })

  test('reads the rows of files that lack a column which the schema demands now', async () => {
    const machine = new SimulatedMachine(0)
    const feed = new SmallFeed()
    feed.add({ kind: 'full', minute: 0, rows: [stock('a', 1)] })
    await feed.sync(machine.start()).summary
    const columns = { ...schema.columns, colour: text({ required: true, notNull: true }) }
    const stricter = defineSchema({ name: 'stock', columns })
    const state = await openState(FOLDER, { environment: machine.start() })
    const row = (await state.feed({ name: 'stock', schema: stricter }).row('a'))!
    expect([row.get('sku'), row.text('colour'), row.toStrings().sku]).toEqual(['a', '', 'a'])
    const bad = { code: 'CELL_INVALID', context: { column: 'colour', row: 1 } }
    for (const read of [() => row.get('colour'), () => row.toObject()]) {
      let error: unknown
      try {
        read()
      } catch (thrown) {
        error = thrown
      }
      expect(error).toMatchObject(bad)
    }
    await state.close()
  })

  test('fault 118: refuses a promise of isRemoved', async () => {
    const feed = new SmallFeed()
    feed.add({ kind: 'full', minute: 0, rows: [stock('a', 1)] })
    const source = feed.source({ isRemoved: (async () => false) as never })
    await expect(
      feed.sync(new SimulatedMachine(0).start(), { source }).summary,
    ).rejects.toMatchObject({ code: 'OPTION_INVALID', context: { option: 'source.isRemoved()' } })
  })

  test('tells the changes of its rows in the order of the keys, each with the time of its file', async () => {
    const machine = new SimulatedMachine(0)
    const feed = new SmallFeed()
    const told: string[] = []
    const changes = {
      write: (all: readonly { part: string; kind: string; id: string; at: Date }[]) => {
        for (const { part, kind, id, at } of all)
          told.push([part, kind, id, at.getUTCMinutes()].join(' '))
      },
    }
    feed.add({ kind: 'full', minute: 0, rows: [stock('a', 1), stock('b', 1)] })
    await feed.sync(machine.start(), { changes }).summary
    const rows = [stock('a', 2, 'new'), stock('c', 2), { ...stock('c', 3), gone: true }]
    feed.add({ kind: 'changes', minute: 1, rows })
    await feed.sync(machine.start(), { changes }).summary
    feed.add({ kind: 'full', minute: 2, rows: [stock('a', 2, 'new'), stock('d', 1)] })
    await feed.sync(machine.start(), { changes }).summary
    expect(told).toEqual([
      'row updated a 1',
      'row inserted c 1',
      'row deleted c 1',
      'row deleted b 2',
      'row inserted d 2',
    ])
  })

  test('keeps bad rows in quarantine, and takes the mended ones back', async () => {
    const machine = new SimulatedMachine(0)
    const feed = new SmallFeed()
    const bad = `${textOf([stock('a', 1)])}t,b,false\n"t",,false,3,\nt,c,false,12x,\nt,d,maybe,4,\n`
    feed.add({ kind: 'full', minute: 0, rows: [] }, gzipSync(bad))
    const options = { quarantine: 'files' } as const
    const { rowsRead, rowsKept, rowsLeftOut } = await feed.sync(machine.start(), options).summary
    expect([rowsRead, rowsKept, rowsLeftOut]).toEqual([5, 1, 4])
    const { quarantine } = statePaths(FOLDER)
    const [path] = [...machine.filesUnder(quarantine).keys()]
    const mend = (text: string) =>
      text.replace('t,b,false', 't,b,false,2,').replace('12x', '12').replace('maybe', 'false')
    machine.damage(path!, bytes => Buffer.from(mend(bytes.toString())))
    const replay = { folder: FOLDER, files: [path!], environment: machine.start() }
    await expect(replayIntoState(replay)).rejects.toMatchObject({ code: 'OPTION_INVALID' })
    const source = feed.source()
    expect(await replayIntoState({ ...replay, source })).toMatchObject({
      merged: 3,
      stillBad: 1,
    })
    const titled = [stock('b', 2, 't'), stock('c', 12, 't'), stock('d', 4, 't')]
    expect(await rowsIn(machine.start())).toEqual([stock('a', 1), ...titled].map(lineOf))
    // A full file stands for the rows of the files before it.
    feed.add({ kind: 'full', minute: 3, rows: [stock('a', 2)] })
    machine.damage(path!, bytes => Buffer.from(bytes.toString().replace(',,false,3', ',e,false,3')))
    await feed.sync(machine.start(), options).summary
    const late = { ...replay, environment: machine.start(), source }
    expect(await replayIntoState(late)).toMatchObject({ merged: 0, stale: 1, stillBad: 0 })
    expect(await rowsIn(machine.start())).toEqual([lineOf(stock('a', 2))])
  })

  test('a reader keeps what it has opened while later files replace it', async () => {
    const machine = new SimulatedMachine(0)
    const feed = new SmallFeed()
    const environment = machine.start()
    feed.add({ kind: 'full', minute: 0, rows: [stock('a', 1), stock('b', 1)] })
    await feed.sync(environment).summary
    const state = await openState(FOLDER, { environment })
    for (let minute = 1; minute < 9; minute++)
      feed.add({ kind: 'full', minute, rows: [stock('c', minute)] })
    for (const file of feed.files.splice(1)) {
      feed.files.push(file)
      await feed.sync(environment).summary
    }
    expect((await state.feed(feed.source()).row('b'))?.get('sku')).toBe('b')
    await state.close()
    expect(await rowsIn(environment)).toEqual([lineOf(stock('c', 8))])
  })
})

describe('a run that ends at any call', () => {
  /** `npm run test:crash` takes every call. */
  const EVERY = process.env.FEEDMILL_CRASH === 'all' ? 1 : 13
  const rowsOf = (from: number, to: number, revision: number) =>
    Array.from({ length: to - from }, (_, n) => stock(`s${from + n}`, revision, `at ${revision}`))

  test.each(['process', 'power'] as const)('is continued by the next one (%s)', async kind => {
    const feed = new SmallFeed()
    const before = new SimulatedMachine(0)
    feed.add({ kind: 'full', minute: 0, rows: rowsOf(0, 30, 0) })
    await feed.sync(before.start(), { changes: 'files' }).summary
    feed.add({ kind: 'changes', minute: 1, rows: rowsOf(20, 40, 1) })
    feed.add({ kind: 'full', minute: 2, rows: rowsOf(10, 50, 2) })
    feed.add({ kind: 'changes', minute: 3, rows: rowsOf(45, 60, 3) })
    // The files before the full one are needless only to a run that finds it.
    const seen = async (machine: SimulatedMachine) => {
      const files = [...machine.filesUnder(FOLDER)].filter(([path]) => /changes|spool/.test(path))
      return [await rowsIn(machine.start()), await ledgerIn(machine), files]
    }
    const whole = before.copy(0)
    await feed.sync(whole.start(), { changes: 'files' }).summary
    const { calls } = whole
    const wanted = await seen(whole)
    for (let at = 1; at <= calls; at += EVERY) {
      for (const what of ['before', 'within', 'after', 'EIO', 'ENOSPC'] as const) {
        const machine = before.copy(at)
        await feed.sync(machine.start({ at, what }), { changes: 'files' }).summary.catch(() => {})
        machine.crash(kind)
        await feed.sync(machine.start(), { changes: 'files' }).summary
        expect([at, what, await seen(machine)]).toEqual([at, what, wanted])
      }
    }
  })
})
