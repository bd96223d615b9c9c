// Tests that stages with stores of their own leave nothing behind in the process, after every kind
// of end.
// Long: it makes a hundred runs of every end.

import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { itemGroupSchema, itemSchema } from '../../../src/engine/schema/feed-schemas'
import { GroupJoiner } from '../../../src/state/group-joiner'
import type { MergedItem } from '../../../src/state/merge/merged-item'
import { SnapshotMerger } from '../../../src/state/snapshot-merger'
import { batchesOf, cutBatches } from '../../rows-from-text'

const ROWS = Array.from({ length: 60 }, (_, n) => [`i${n}`, `g${n % 7}`, `title ${n} `.repeat(20)])
const items = () =>
  cutBatches(
    batchesOf(itemSchema, { feed: 'item', lastModified: new Date(0) }, [
      ['itemId', 'primaryItemGroupId', 'title'],
      ...ROWS,
    ]),
    10,
  )
const groups = () =>
  batchesOf(itemGroupSchema, { feed: 'item_group' }, [
    ['itemGroupId', 'title'],
    ...ROWS.slice(0, 7).map((_, n) => [`g${n}`, 'G'.repeat(2000)]),
  ])

/** The limit is smaller than a batch, so that all stores go to disk. */
const memoryBytes = 1000
const newMerger = () => new SnapshotMerger({ memoryBytes, changes: 'none' })
const newJoiner = () =>
  new GroupJoiner({ groups: groups(), row: ({ row }: MergedItem) => row, memoryBytes })
const refuse = () => {
  throw new RangeError('no')
}

async function merged(): Promise<SnapshotMerger> {
  const merger = newMerger()
  await pipeline(items())
    .to(merger)
    .forEach(() => {})
  return merger
}

/** Ends by which a run frees everything without another call. */
const ENDS: Readonly<Record<string, () => Promise<unknown>>> = {
  'read to the end': async () => {
    await pipeline((await merged()).blocks())
      .to(newJoiner())
      .forEach(() => {})
  },
  'item by item': async () => {
    for await (const _ of (await merged()).entries());
  },
  'failure behind the merger': () =>
    pipeline(items()).to(new SnapshotMerger({ memoryBytes })).forEach(refuse),
  'failure before the merger': () =>
    pipeline(
      (function* () {
        yield items()[0]!
        refuse()
      })(),
    )
      .to(newMerger())
      .forEach(() => {}),
  'failure behind the joiner': async () =>
    pipeline((await merged()).blocks())
      .to(newJoiner())
      .forEach(refuse),
  'failure in the joiner': async () =>
    pipeline((await merged()).blocks())
      .to(new GroupJoiner({ groups: groups(), row: refuse, memoryBytes }))
      .forEach(() => {}),
  abort: async () => {
    const controller = new AbortController()
    await pipeline(items(), { signal: controller.signal })
      .to(new SnapshotMerger({ memoryBytes }))
      .forEach(() => controller.abort())
  },
  'abort before the items are read': async () =>
    pipeline((await merged()).blocks(), { signal: AbortSignal.abort() })
      .to(newJoiner())
      .forEach(() => {}),
  'reader of the changes that leaves': async () => {
    for await (const _ of pipeline(items()).to(new SnapshotMerger({ memoryBytes }))) break
  },
  'reader of the items that leaves': async () => {
    for await (const _ of (await merged()).blocks()) break
  },
  'reader of the join that leaves': async () => {
    for await (const _ of pipeline((await merged()).blocks()).to(newJoiner())) break
  },
  'destroy after the end': async () => (await merged()).destroy(),
  'destroy in the middle of a write': async () => {
    const merger = newMerger()
    merger.write(items()[0]!)
    merger.destroy()
    await merger.close()
  },
  'await using': async () => {
    await using merger = await merged()
    await using joiner = newJoiner()
    joiner.write([])
    expect(merger.emittedEnd).toBe(true)
  },
}

const HAS_FD = existsSync('/proc/self/fd')
let folder: string
let before: string | undefined
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-own-'))
  before = process.env.TMPDIR
  process.env.TMPDIR = folder
})
afterAll(async () => {
  if (before === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = before
  await rm(folder, { recursive: true })
})

/** Returns the open files below the test's folder. */
function openFiles(): string[] {
  if (!HAS_FD) return []
  return readdirSync('/proc/self/fd').flatMap(fd => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`)
      return path.startsWith(folder) ? [path] : []
    } catch {
      return []
    }
  })
}

const threads = () => (HAS_FD ? readdirSync('/proc/self/task').length : 0)

async function settled(): Promise<{ files: string[]; folders: string[] }> {
  for (
    let tries = 0;
    tries < 1000 && (openFiles().length > 0 || readdirSync(folder).length > 0);
    tries++
  )
    await wait(10)
  return { files: openFiles(), folders: readdirSync(folder) }
}

test('the runs of this file do go to disk', async () => {
  const merger = await merged()
  expect(readdirSync(folder)).toHaveLength(1)
  if (HAS_FD) expect(openFiles().length).toBeGreaterThan(2)
  await merger.close()
  expect(await settled()).toEqual({ files: [], folders: [] })
})

test.each(Object.entries(ENDS))('fault 93: nothing is left after: %s', async (_, run) => {
  await run().catch(() => {})
  expect(await settled()).toEqual({ files: [], folders: [] })
})

test('fault 93: a run that fails or is left ends after its folder is removed', async () => {
  for (let n = 0; n < 100; n++) {
    await ENDS[n % 2 === 0 ? 'abort' : 'failure behind the merger']!().catch(() => {})
    expect(readdirSync(folder)).toEqual([])
  }
})

test('fault 93: a hundred runs of every end leave no descriptor, folder, thread or warning', async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => void warnings.push(warning)
  process.on('warning', onWarning)
  const ends = Object.values(ENDS)
  for (const run of ends) await run().catch(() => {})
  await settled()
  const threadsBefore = threads()
  for (let n = 0; n < 100; n++) await ends[n % ends.length]!().catch(() => {})
  expect(await settled()).toEqual({ files: [], folders: [] })
  expect(threads()).toBeLessThanOrEqual(threadsBefore)
  expect(warnings).toEqual([])
  process.off('warning', onWarning)
}, 60_000)

test('fault 93: a merger whose items nobody reads is freed with its memory', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const warnings: Error[] = []
  const onWarning = (warning: Error) => void warnings.push(warning)
  process.on('warning', onWarning)
  await merged()
  for (let tries = 0; tries < 100 && readdirSync(folder).length > 0; tries++) {
    collect()
    await wait(10)
  }
  expect(await settled()).toEqual({ files: [], folders: [] })
  expect(warnings).toEqual([])
  process.off('warning', onWarning)
})

test('items of a merger’s own store are listed once, also by two readers side by side; then listing fails', async () => {
  const merger = await merged()
  const [one, other] = [merger.blocks(), merger.blocks()]
  await one.next()
  let items = (await other.next()).value?.length ?? 0
  await one.return()
  for await (const block of other) items += block.length
  expect(items).toBe(60)
  const error = await merger
    .blocks()
    .next()
    .catch(failure => failure)
  expect(error).toMatchObject({ code: 'STAGE_DESTROYED', context: { stage: 'SnapshotMerger' } })
  expect(error.message).toMatch(/gives its items once$/)
})
