import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { GroupJoiner } from '../../src/state/group-joiner'
import { SnapshotMerger } from '../../src/state/snapshot-merger'
import { openState } from '../../src/sync/read/open-state'
import { sync } from '../../src/sync/run/sync'
import { emulated } from '../service/emulated'
import { SimulatedMachine } from './simulated-machine'
import { FOLDER, HOUR_MS, SmallShop } from './small-run'

const START = new Date('2026-03-01T07:00:00Z')
const NOW = new Date(+START + 5 * HOUR_MS)
const WORLD = { world: { seed: 4, items: 20, start: START, hours: 48 }, bootstrapAt: START }
const folder = join(tmpdir(), `feedmill-never-made-${process.pid}`)
const { service, emulator } = emulated({ emulator: WORLD })
afterAll(() => emulator.close())

const good = { service, marketplace: 'MKT_US', categories: ['220'], folder }
const anything = (value: unknown) => value as never
const refusal = (option: string) =>
  expect.objectContaining({ code: 'OPTION_INVALID', context: expect.objectContaining({ option }) })

describe('fault 102: sync refuses wrong options at the call, and makes no folder', () => {
  test.each([
    ['options', undefined],
    ['options', null],
    ['service', {}],
    ['service', { ...good, service: null }],
    ['marketplace', { ...good, marketplace: 'US' }],
    ['marketplace', { ...good, marketplace: undefined }],
    ['categories', { ...good, categories: [] }],
    ['categories', { ...good, categories: '220' }],
    ['categories', { ...good, categories: [''] }],
    ['folder', { ...good, folder: '' }],
    ['mode', { ...good, mode: 'twice' }],
    ['until', { ...good, until: 'later' }],
    ['now', { ...good, now: 5 }],
    ['changes', { ...good, changes: null }],
    ['memoryBytes', { ...good, memoryBytes: null }],
    ['limits', { ...good, limits: null }],
    ['snapshotLatencyHour', { ...good, limits: { snapshotLatencyHour: 2 } }],
    ['signal', { ...good, signal: {} }],
    ['parallelFile', { ...good, parallelFile: 2 }],
  ])('%s of %o', (option, options) => {
    expect(() => sync(anything(options))).toThrow(refusal(option))
    expect(existsSync(folder)).toBe(false)
  })
})

describe('fault 102: the other functions refuse wrong options at the call', () => {
  test.each([
    ['memoryByte', () => new SnapshotMerger(anything({ memoryByte: 1 }))],
    ['options', () => new SnapshotMerger(anything(null))],
    ['schema', () => new SnapshotMerger(anything({ schema: 'item' }))],
    ['changes', () => new SnapshotMerger(anything({ changes: 'some' }))],
    ['before', () => new SnapshotMerger(anything({ before: 1 }))],
    ['versionOf', () => new SnapshotMerger(anything({ versionOf: 1 }))],
    ['memoryBytes', () => new SnapshotMerger(anything({ memoryBytes: null }))],
    ['options', () => new GroupJoiner(anything(undefined))],
    ['groups', () => new GroupJoiner(anything({}))],
    ['groups', () => new GroupJoiner(anything({ groups: 'g' }))],
    ['mode', () => new GroupJoiner(anything({ groups: [], mode: 'both' }))],
    ['row', () => new GroupJoiner(anything({ groups: [], row: 'row' }))],
    ['store', () => new GroupJoiner(anything({ groups: [], store: {} }))],
    ['maxGroupItem', () => new GroupJoiner(anything({ groups: [], maxGroupItem: 1 }))],
  ])('%s', (option, call) => {
    expect(call).toThrow(refusal(option))
  })

  test.each([
    ['folder', () => openState(anything(undefined))],
    ['options', () => openState(folder, anything(null))],
    ['memory', () => openState(folder, anything({ memory: 1 }))],
    ['signal', () => openState(folder, anything({ signal: 'stop' }))],
  ])('%s, as a promise', async (option, call) => {
    await expect(call()).rejects.toThrow(refusal(option))
    expect(existsSync(folder)).toBe(false)
  })
})

describe('the clock', () => {
  // The clients check windows, as they do unless told otherwise: by a clock of another day all
  // requests would be refused.
  test.each([
    ['given to sync alone, as a moment', { now: NOW }, {}],
    ['given to sync alone, as a function', { now: () => NOW }, {}],
    ['given to the service alone', { now: undefined }, { now: NOW }],
  ])('%s is used by the calendar and by the clients', async (_, options, serviceOptions) => {
    const shop = new SmallShop(WORLD, +NOW, {
      service: { checks: 'all', now: new Date('2031-01-01T00:00:00Z'), ...serviceOptions },
    })
    const machine = new SimulatedMachine(0)
    const { failed, files } = await shop.sync(machine.start(), options as never).summary
    expect([failed, files]).toEqual([[], 18])
    const state = await openState(FOLDER, { environment: machine.start() })
    expect(state.categories[0]!.plan(NOW)).toEqual(state.categories[0]!.plan(() => NOW))
    await state.close()
    await shop.close()
  })
})
