// The checks of a feed of one's own, plans over its list, and its files in a folder.

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import type { OwnId } from '../../../src/sync/file-id'
import { sync } from '../../../src/sync/run/sync'
import { listedFiles, type SourceFile } from '../../../src/sync/source/feed-source'
import { folderFiles } from '../../../src/sync/source/folder-files'
import { planOwn } from '../../../src/sync/source/own-source'
import { SimulatedMachine } from '../simulated-machine'
import { SmallFeed, timeOf } from './small-feed'

const optionOf = (action: () => unknown): string => {
  try {
    action()
    return 'none'
  } catch (error) {
    return FeedError.is(error) && error.code === 'OPTION_INVALID'
      ? error.context.option
      : `${error}`
  }
}
const full: SourceFile = { id: 'one', from: 'one.csv', kind: 'full', time: timeOf(0) }

describe('a wrong source is refused before anything is made', () => {
  const cases: [string, object][] = [
    ['source.name', { name: 'a/b' }],
    ['source.name', { name: '' }],
    ['source.key', { key: 'none' }],
    ['source.version', { version: 'title' }],
    ['source.isRemoved', { isRemoved: true }],
    ['dialect.delimiter', { dialect: { delimiter: '"' } }],
    ['source.transport', { transport: {} }],
    ['sorce', { sorce: 1 }],
    ['source.files', { files: '' }],
    ['source.files', { files: 'https://a:b@c.test/' }],
    ['source.files', { files: 7 }],
    ['source.files[1].id', { files: [full, { ...full, kind: 'changes' }] }],
    ['source.files[0].id', { files: [{ ...full, id: '\ud800' }] }],
    ['source.files[0].from', { files: [{ ...full, from: '' }] }],
    ['source.files[0].from', { files: [{ ...full, from: 'https://a:b@c.test/' }] }],
    ['source.files[0].kind', { files: [{ ...full, kind: 'all' }] }],
    ['source.files[0].time', { files: [{ ...full, time: new Date('soon') }] }],
    ['source.files[0].time', { files: [{ ...full, time: new Date(8e15) }] }],
    ['source.files[1].time', { files: [full, { ...full, id: 'two' }] }],
    ['size', { files: [{ ...full, size: 1 }] }],
  ]
  test.each(cases)('%s', (option, change) => {
    const source = { ...new SmallFeed().source(), ...change } as never
    expect(optionOf(() => sync({ source, folder: '/none' }))).toBe(option)
  })

  test('and so are the options of a run over the service beside it', () => {
    const given = {
      marketplace: 'MKT_US',
      target: {},
      until: new Date(),
      limits: {},
      now: new Date(),
    }
    const feed = new SmallFeed()
    for (const [option, value] of Object.entries(given)) {
      const options = { source: feed.source(), folder: '/none', [option]: value }
      expect(optionOf(() => sync(options as never))).toBe(option)
    }
  })

  test('a list that a function gives is checked too', async () => {
    const feed = new SmallFeed()
    const source = feed.source({ files: async () => [full, full] })
    const run = feed.sync(new SimulatedMachine(0).start(), { source })
    await expect(run.summary).rejects.toMatchObject({ code: 'OPTION_INVALID' })
  })
})

describe('a plan over a list', () => {
  const files = listedFiles('stock', [
    { ...full, id: 'c2', kind: 'changes', time: timeOf(2) },
    { ...full, id: 'f2', time: timeOf(2) },
    full,
    { ...full, id: 'c1', kind: 'changes', time: timeOf(1) },
    { ...full, id: 'c3', kind: 'changes', time: timeOf(3) },
  ])
  const idOf = (name: string): OwnId => files.find(file => file.id.id === name)!.id
  const planned = (done: readonly string[], missing: readonly string[] = []) => {
    const plan = planOwn(files, done.map(idOf), missing.map(idOf))
    const [ready, held] = [plan.ready, plan.held].map(ids => ids.map(id => (id as OwnId).id))
    return [ready, held, plan.watermark?.getUTCMinutes()]
  }

  test('begins with the newest full file', () => {
    expect(planned([])).toEqual([['f2', 'c2', 'c3'], [], undefined])
    expect(planned(['f2', 'c2'])).toEqual([['c3'], [], 2])
    expect(planned(['f2', 'c3'])).toEqual([['c2'], [], 2])
    expect(planned(['f2', 'c2', 'c3'])).toEqual([[], [], 3])
  })

  test('holds back what is behind a missing file', () => {
    expect(planned([], ['f2'])).toEqual([['one', 'c1'], ['c2', 'c3'], undefined])
    expect(planned(['one', 'c1'], ['f2'])).toEqual([[], ['c2', 'c3'], 1])
    expect(planned(['f2'], ['c2'])).toEqual([[], ['c3'], 2])
    expect(planned([], ['f2', 'one'])).toEqual([[], ['c1', 'c2', 'c3'], undefined])
  })
})

describe('the files of a folder', () => {
  let folder: string
  beforeEach(() => {
    folder = new SmallFeed().folder
  })
  const touched = (name: string, minute: number) => {
    writeFileSync(`${folder}/${name}`, 'x')
    utimesSync(`${folder}/${name}`, timeOf(minute), timeOf(minute))
  }
  const listed = async (options: object) => {
    const files = await folderFiles({ folder, ...options })()
    const texts = files.map(({ id, kind, from }) => {
      expect(id.startsWith(`${String(from).slice(folder.length + 1)} 2026-`)).toBe(true)
      return `${kind} ${id}`
    })
    return texts.sort()
  }

  test('are those whose names fit, with their times', async () => {
    touched('stock-1.csv', 1)
    touched('stock-1.csv.part', 1)
    touched('delta.2.csv', 2)
    touched('.delta.3.csv', 3)
    mkdirSync(`${folder}/stock-2.csv`)
    expect(await listed({ full: 'stock-?.csv', changes: '*.csv' })).toEqual([
      'changes delta.2.csv 2026-03-01T00:02:00.000Z',
      'full stock-1.csv 2026-03-01T00:01:00.000Z',
    ])
    touched('stock-1.csv', 9)
    expect(await listed({ full: 'stock-*.csv' })).toEqual([
      'full stock-1.csv 2026-03-01T00:09:00.000Z',
    ])
    const timeOfName = (name: string) => timeOf(Number(name.at(6)))
    expect(await listed({ changes: 'delta.*', timeOf: timeOfName })).toEqual([
      'changes delta.2.csv 2026-03-01T00:02:00.000Z',
    ])
  })

  test('wrong options, folders and times are told', async () => {
    expect(optionOf(() => folderFiles({ folder }))).toBe('full')
    expect(optionOf(() => folderFiles({ folder: '', full: '*' }))).toBe('folder')
    expect(optionOf(() => folderFiles({ folder, full: '' }))).toBe('full')
    expect(optionOf(() => folderFiles({ folder, full: '*', timeOf: 1 as never }))).toBe('timeOf')
    touched('stock-1.csv', 1)
    const timeless = folderFiles({ folder, full: '*', timeOf: name => new Date(name) })
    await expect(timeless()).rejects.toMatchObject({ code: 'OPTION_INVALID' })
    const feed = new SmallFeed()
    const source = feed.source({ files: folderFiles({ folder: `${folder}/none`, full: '*' }) })
    await expect(
      feed.sync(new SimulatedMachine(0).start(), { source }).summary,
    ).rejects.toMatchObject({ code: 'STAGE_FAILED' })
  })
})
