// A category of runs on a simulated machine that dies at every call, loses power, or has a failing
// or damaged disk. The oracle is the target in memory, which takes the same files.
// Long: it applies the files again for each call at which the machine may die.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import { versionAt } from '../../../src/state/runs/merge-runs'
import { keyOf } from '../../../src/state/runs/row-heads'
import { Run } from '../../../src/state/runs/run-reader'
import { RunTable } from '../../../src/state/runs/run-table'
import { type BootstrapId, categoryKey, fileIdKey } from '../../../src/sync/file-id'
import { CategoryRuns, type CategoryRunsOptions } from '../../../src/sync/runs/category-runs'
import { CategoryView, schemaOfTable } from '../../../src/sync/runs/category-view'
import { newManifest, readManifest } from '../../../src/sync/runs/manifest'
import type { AppliedFile, TargetCategory, TargetFile } from '../../../src/sync/target/target'
import {
  bootstrapOf,
  CATEGORY,
  hourOf,
  ORIGIN,
  smallFile,
} from '../../integrations/postgres/small-file'
import { type CrashKind, Died, SimulatedMachine, type Trouble } from '../simulated-machine'
import { MemoryPlace, memoryTarget, type Part } from '../target/memory-target'

/** `npm run test:crash` takes every call and every byte. */
const ALL = process.env.FEEDMILL_CRASH === 'all'
const FOLDER = '/category'
const MANIFEST = `${FOLDER}/manifest.json`
const LEDGER = `${FOLDER}/ledger.ndjson`
const PARTS: readonly Part[] = ['item', 'group', 'priority']
/** Sizes at which files become several runs, and runs of several sizes are merged. */
const SMALL = { sortBytes: 200, mostRuns: 2, firstSize: 100 }

const SIGNAL = new AbortController().signal

type Sizes = Omit<CategoryRunsOptions, 'files' | 'folder'>
/** Files that become visible together, a time before which removals are forgotten, or a pause. */
type Step = readonly TargetFile[] | Date | 'pause'

/** The ledger and the rows of a category, as text. */
interface Seen {
  readonly ledger: readonly string[]
  readonly rows: readonly string[]
}

function filesOf(step: Step): readonly TargetFile[] {
  return Array.isArray(step) ? step : []
}

/** Makes the steps that are not done. `done` is called with the number of steps after each. */
async function goThrough(
  category: TargetCategory,
  steps: readonly Step[],
  done: (steps: number) => void = () => {},
): Promise<void> {
  let files = 0
  for (const [n, step] of steps.entries()) {
    const isDone = files < category.files.length
    files += filesOf(step).length
    if (step instanceof Date) {
      if (category.files.length === files) await category.forgetRemovals(step)
    } else if (step === 'pause') {
      await category.compact?.(SIGNAL)
    } else if (!isDone) {
      if (category.applyAll !== undefined && step.length > 1) await category.applyAll(step)
      else for (const file of step) await category.apply(file)
    }
    done(n + 1)
  }
}

async function runOn(
  machine: SimulatedMachine,
  steps: readonly Step[],
  sizes: Sizes = SMALL,
  trouble?: Trouble,
): Promise<{ readonly done: number; readonly error: unknown }> {
  const { files } = machine.start(trouble)
  let done = 0
  try {
    const category = await CategoryRuns.open(CATEGORY, { files, folder: FOLDER, ...sizes })
    try {
      await goThrough(category, steps, n => {
        done = n
      })
    } finally {
      await category.close()
    }
    return { done, error: undefined }
  } catch (error) {
    return { done, error }
  }
}

/** Reads a machine as a reader does, which changes nothing. */
async function seenOn(machine: SimulatedMachine): Promise<Seen> {
  const { files } = machine.copy(0).start()
  const view = await CategoryView.open(files, FOLDER)
  const rows: string[] = []
  const manifest = (await readManifest(files, MANIFEST)) ?? newManifest(CATEGORY)
  for (const part of PARTS) {
    const { runs, floors } = manifest.tables[part]
    const opened = runs.map(async record => ({
      run: await Run.open(files, `${FOLDER}/${record.name}`, record),
      sequence: record.sequence,
    }))
    const table = new RunTable(schemaOfTable(part, undefined), await Promise.all(opened), floors)
    for await (const places of table.places())
      for (const place of places) {
        const [key, version] = [keyOf(place.block.heads, place.n), versionAt(place.block, place.n)]
        const row = table.rowAt(place)
        rows.push(JSON.stringify([part, key, version, row.position, row.toStrings()]))
      }
  }
  return { ledger: ledgerOf(view?.files ?? []), rows }
}

/** What is seen after each number of steps, from 0. */
async function truthOf(steps: readonly Step[]): Promise<Seen[]> {
  const place = new MemoryPlace()
  const opened = await memoryTarget(place).open({
    origin: ORIGIN,
    memoryBytes: 0,
    signal: new AbortController().signal,
  })
  const category = await opened.category(CATEGORY)
  const seen: Seen[] = []
  const look = () => {
    const kept = [...(place.contents.get(categoryKey(CATEGORY))?.rows ?? [])]
    const rows = PARTS.flatMap(part =>
      kept
        .filter(([key, { row }]) => key.startsWith(`${part}:`) && row !== undefined)
        .map(([key, { head, row }]) => ({ key: key.slice(part.length + 1), head, row: row! }))
        .sort((a, b) => (a.key < b.key ? -1 : 1))
        .map(({ key, head, row }) =>
          JSON.stringify([part, key, head.version, row.position, row.toStrings()]),
        ),
    )
    seen.push({ ledger: ledgerOf(category.files), rows })
  }
  look()
  await goThrough(category, steps, look)
  return seen
}

function ledgerOf(files: readonly AppliedFile[]): string[] {
  return files.map(({ id, ...entry }) => JSON.stringify([fileIdKey(id), entry]))
}

/** Expects that the folder has the manifest, its ledger and the runs that it names, and nothing else. */
function expectNothingLeft(machine: SimulatedMachine): void {
  const files = machine.filesUnder(FOLDER)
  const named = files.get(MANIFEST)!.match(/[\w-]+\.run/g) ?? []
  files.delete(LEDGER)
  expect([...files.keys()]).toEqual([MANIFEST, ...named.map(name => `${FOLDER}/${name}`)].sort())
}

// The worlds follow.

const KEYS = Array.from({ length: 12 }, (_, n) => `k${String(n).padStart(2, '0')}`)

interface Change {
  readonly key: string
  readonly minute: number
  readonly removes: boolean
}

function itemFile(id: ReturnType<typeof hourOf>, startMs: number, changes: readonly Change[]) {
  const lines = changes.map(({ key, minute, removes }) =>
    [
      key,
      removes ? '' : `title of ${key} at ${minute}`,
      removes ? 'UNAVAILABLE' : 'AVAILABLE',
      new Date(startMs + minute * 60_000).toISOString(),
    ].join('\t'),
  )
  return smallFile(id, ['itemId\ttitle\tavailability\titemSnapshotDate', ...lines, ''].join('\n'))
}

function hour(n: number, changes: readonly Change[]): TargetFile {
  return itemFile(hourOf(n), Date.UTC(2026, 2, 1, n), changes)
}

function bootstrap(day: number, keys: readonly string[]): TargetFile {
  const lines = keys.map(key => `${key}\ttitle of ${key} on day ${day}\n`)
  return smallFile(bootstrapOf(day), `itemId\ttitle\n${lines.join('')}`)
}

function groups(day: number, keys: readonly string[]): TargetFile {
  const id = { ...(bootstrapOf(day) as BootstrapId), feed: 'item_group' } as const
  const lines = keys.map(key => `g${key}\tgroup ${key} of day ${day}\n`)
  return smallFile(id, `itemGroupId\ttitle\n${lines.join('')}`)
}

function priorities(day: number, keys: readonly string[]): TargetFile {
  const date = `202603${String(day).padStart(2, '0')}`
  const lines = keys.map(key => `${key}\tpayload ${key} of day ${day}\n`)
  const text = `itemId\tpriorityListingPayload\n${lines.join('')}`
  return smallFile({ ...CATEGORY, feed: 'item_priority', date }, text)
}

const removal = (key: string, minute: number): Change => ({ key, minute, removes: true })
const update = (key: string, minute: number): Change => ({ key, minute, removes: false })

/** Bootstraps with hours between them, of which some arrive together; the later bootstrap lacks keys. */
const STEPS: readonly Step[] = [
  [groups(1, ['a', 'b', 'c'])],
  [bootstrap(1, KEYS)],
  [hour(1, [update('k03', 5), removal('k04', 9), update('n1', 20)])],
  [hour(2, [removal('n1', 1)]), hour(3, [update('k04', 2), update('n2', 3), update('n2', 4)])],
  [priorities(1, ['k01', 'k03'])],
  [hour(4, [removal('k00', 1), removal('k01', 2)])],
  [hour(5, []), hour(6, [update('k01', 7)]), hour(7, [removal('k02', 7)])],
  new Date(Date.UTC(2026, 2, 1, 5)),
  [hour(8, [update('k05', 1)])],
  'pause',
  [groups(2, ['a', 'c', 'd'])],
  [bootstrap(2, [...KEYS.slice(3), 'n3'])],
  [hour(25, [removal('k05', 1), update('k00', 2)])],
  'pause',
  [hour(26, [update('k06', 1)]), hour(27, [removal('n3', 1)])],
  [priorities(2, ['k03', 'k07'])],
]

const changeArb = fc.record({
  key: fc.constantFrom(...KEYS.slice(0, 6)),
  minute: fc.nat(59),
  removes: fc.boolean(),
})
type Event = Change[] | { readonly keys: readonly string[] } | 'forget' | 'pause'
const eventArb: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: fc.array(changeArb, { maxLength: 6 }) },
  { weight: 1, arbitrary: fc.subarray(KEYS.slice(0, 6)).map(keys => ({ keys })) },
  { weight: 2, arbitrary: fc.constantFrom('forget' as const, 'pause' as const) },
)
const sizesArb = fc.record({
  sortBytes: fc.constantFrom(50, 400, 1 << 20),
  mostRuns: fc.integer({ min: 1, max: 4 }),
  firstSize: fc.constantFrom(30, 300, 1 << 26),
})

/** Hours one after the other; a bootstrap of a day and forgetting have the time of the next hour. */
function stepsOf(events: readonly Event[]): Step[] {
  const steps: Step[] = [[bootstrap(1, KEYS.slice(0, 4))]]
  let n = 0
  for (const event of events) {
    if (event === 'forget') steps.push(new Date(Date.UTC(2026, 2, 1, n)))
    else if (event === 'pause') steps.push(event)
    else if (Array.isArray(event)) steps.push([hour(n++, event)])
    else {
      n = 24 * (Math.floor(n / 24) + 1)
      steps.push([bootstrap(1 + n / 24, event.keys)])
    }
  }
  return steps
}

describe('merges of runs', () => {
  test('leave the truth, whatever their sizes and whatever is forgotten', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(eventArb, { maxLength: 20 }), sizesArb, async (events, sizes) => {
        const steps = stepsOf(events)
        const machine = new SimulatedMachine(0)
        expect((await runOn(machine, steps, sizes)).error).toBeUndefined()
        expect((await seenOn(machine)).rows).toEqual((await truthOf(steps)).at(-1)!.rows)
        expectNothingLeft(machine)
      }),
      { numRuns: ALL ? 2_000 : 30 },
    )
  }, 600_000)

  test('are in the steps, which give the truth', async () => {
    const truth = await truthOf(STEPS)
    const machine = new SimulatedMachine(0)
    expect(await runOn(machine, STEPS)).toEqual({ done: STEPS.length, error: undefined })
    expect(machine.log.filter(call => /create .*-merged-/.test(call)).length).toBeGreaterThan(2)
    expect(await seenOn(machine)).toEqual(truth.at(-1))
    expectNothingLeft(machine)
  })
})

describe('a pause', () => {
  const hours = Array.from({ length: 9 }, (_, n): Step => [hour(n, [update(KEYS[n]!, 5)])])
  const steps = [[bootstrap(1, KEYS)], ...hours]
  const all = { sortBytes: 1 << 20, mostRuns: 32 }

  test('leaves few runs beside the largest one, with few bytes, and the same rows', async () => {
    const machine = new SimulatedMachine(0)
    await runOn(machine, steps, all)
    const before = await seenOn(machine)
    const runsOf = async () =>
      (await readManifest(machine.copy(0).start().files, MANIFEST))!.tables.item.runs
    expect(await runsOf()).toHaveLength(10)
    expect((await runOn(machine, [...steps, 'pause'], all)).error).toBeUndefined()
    const bytes = (await runsOf()).map(({ rawBytes }) => rawBytes).sort((a, b) => b - a)
    const [largest, ...others] = bytes
    expect(others.length).toBeLessThan(4)
    expect(others.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(0.3 * largest!)
    expect(await seenOn(machine)).toEqual(before)
    expectNothingLeft(machine)
  })

  test('ends with the reason of its signal, and leaves what there was', async () => {
    const machine = new SimulatedMachine(0)
    await runOn(machine, steps, all)
    const before = [await seenOn(machine), [...machine.filesUnder(FOLDER).keys()]]
    const options = { files: machine.start().files, folder: FOLDER, ...all }
    const category = await CategoryRuns.open(CATEGORY, options)
    const reason = new Error('enough')
    await expect(category.compact(AbortSignal.abort(reason))).rejects.toBe(reason)
    await category.close()
    expect([await seenOn(machine), [...machine.filesUnder(FOLDER).keys()]]).toEqual(before)
  })
})

describe('a machine that dies or fails', () => {
  /** Every call of a run, or the last of each kind of calls that write. */
  async function sampledCalls(): Promise<readonly number[]> {
    const machine = new SimulatedMachine(0)
    await runOn(machine, STEPS)
    expect(machine.calls).toBeGreaterThan(300)
    const names = machine.log.map(call => call.replace(/item-|group-|priority-|\d/g, ''))
    const kinds = names.map((name, n) => `${names[n - 1]} ${name}`)
    const isTaken = (kind: string, n: number) =>
      ALL || (n === kinds.lastIndexOf(kind) && !/^(open|size|read|list)/.test(names[n]!))
    return kinds.flatMap((kind, n) => (isTaken(kind, n) ? [n + 1] : []))
  }

  /** Runs with a trouble on a machine that then ends, and expects that a next run goes on. */
  async function runTroubled(
    before: SimulatedMachine,
    trouble: Trouble,
    kind: CrashKind,
    doneBefore = 0,
  ): Promise<unknown> {
    const truth = await truthOnce
    const ended = before.copy(trouble.at)
    const { done: doneNow, error } = await runOn(ended, STEPS, SMALL, trouble)
    const done = Math.max(doneBefore, doneNow)
    // What a step has made visible is durable when the step is done.
    const possible = [truth[done], truth[done + 1]].map(each => JSON.stringify(each))
    const where = [trouble, kind, ended.log[trouble.at - 1]]
    for (let seed = 0; seed < (kind === 'power' ? 6 : 1); seed++) {
      const machine = ended.copy(8 * trouble.at + seed)
      machine.crash(kind)
      const seen = await seenOn(machine)
      expect([where, possible.includes(JSON.stringify(seen)), seen]).toEqual([where, true, seen])
      if (seed > 0) continue
      expect([where, (await runOn(machine, STEPS)).error]).toEqual([where, undefined])
      expect([where, await seenOn(machine)]).toEqual([where, truth.at(-1)])
      expectNothingLeft(machine)
    }
    return error
  }

  const truthOnce = truthOf(STEPS)

  test.each(['process', 'power'] as const)(
    'fault 81: is in the state before or after a step when its %s ends at a call, and the next run goes on',
    async kind => {
      for (const at of await sampledCalls()) {
        // The end of one call and the beginning of the next leave the same machine.
        for (const what of ALL ? (['before', 'within', 'after'] as const) : (['within'] as const)) {
          const error = await runTroubled(new SimulatedMachine(0), { at, what }, kind)
          expect(error).toBeInstanceOf(Died)
        }
      }
    },
    900_000,
  )

  test.each(['ENOSPC', 'EIO'] as const)(
    'is in the state before or after a step when a call fails with %s, and the next run goes on',
    async what => {
      for (const at of await sampledCalls()) {
        for (const lasting of [true, false]) {
          const trouble = { at, what, lasting }
          const kind = lasting ? 'power' : 'process'
          const error = await runTroubled(new SimulatedMachine(0), trouble, kind)
          expect([trouble, error]).toMatchObject([trouble, { code: 'STATE_IO' }])
        }
      }
    },
    900_000,
  )

  test('is in the state before or after a step when its process ends and then its power, before the files of the process are on the disk', async () => {
    const machine = new SimulatedMachine(0)
    await runOn(machine, STEPS)
    const commits = machine.log.flatMap((call, n) => (/^rename/.test(call) ? [n + 1] : []))
    expect(commits.length).toBeGreaterThan(STEPS.length)
    const merge = machine.log.findLastIndex(call => /^create .*-merged-/.test(call))
    for (const at of commits.filter(each => ALL || each === commits.find(n => n > merge))) {
      const killed = new SimulatedMachine(0)
      const { done } = await runOn(killed, STEPS, SMALL, { at, what: 'after' })
      killed.crash('process')
      for (let next = 1; next < 20; next++)
        await runTroubled(killed, { at: next, what: 'after' }, 'power', done)
    }
  }, 900_000)
})

test('fault 147: the bytes that one more file writes do not grow with the files before it', async () => {
  const machine = new SimulatedMachine(0)
  const { files } = machine.start()
  const sizes = { sortBytes: 1 << 20 }
  const category = await CategoryRuns.open(CATEGORY, { files, folder: FOLDER, ...sizes })
  const each: number[] = []
  for (let n = 1; n <= 360; n++) {
    const before = machine.bytesWritten
    await category.apply(hour(n, [update('m01', n)]))
    each.push(machine.bytesWritten - before)
  }
  await category.close()
  const most = (from: number) => Math.max(...each.slice(from, from + 60))
  expect(most(300)).toBeLessThan(1.5 * most(60))
  expect(most(300)).toBeLessThan(40_000)
})

describe('a file of several parts', () => {
  const first: Step = [hour(1, [update('m01', 5), removal('m02', 9)])]
  const largeKeys = Array.from(
    { length: 150 },
    (_, n) => `m${String((7 * n) % 100).padStart(2, '0')}`,
  )
  const large = bootstrap(2, largeKeys)
  const keysArb = fc.array(fc.constantFrom(...largeKeys), { minLength: 100, maxLength: 200 })

  // A merge that a kill has kept from being made would wait for the next file.
  const UNMERGED = { sortBytes: 200, mostRuns: 1_000 }

  const manifestOn = async (machine: SimulatedMachine) =>
    (await readManifest(machine.copy(0).start().files, MANIFEST))!
  const savedOn = async (machine: SimulatedMachine) => (await manifestOn(machine)).applying?.runs
  const rowsOf = (runs: readonly { readonly rows: number }[]) =>
    runs.reduce((sum, { rows }) => sum + rows, 0)

  /** The numbers of the calls that save what an undisturbed run has of the file so far. */
  async function savingCalls(): Promise<readonly number[]> {
    const machine = new SimulatedMachine(0)
    await runOn(machine, [first, [large]], UNMERGED)
    const commits = machine.log.flatMap((call, n) =>
      /^rename .*manifest/.test(call) ? [n + 1] : [],
    )
    const saves = commits.slice(2, -1)
    expect(saves.length).toBeGreaterThan(3)
    return saves
  }

  /** A machine whose process has ended within the file, behind a call. */
  async function killed(at: number): Promise<SimulatedMachine> {
    const machine = new SimulatedMachine(0)
    await runOn(machine, [first, [large]], UNMERGED, { at, what: 'after' })
    machine.crash('process')
    expect(await savedOn(machine)).toBeDefined()
    return machine
  }

  const killedLate = async () => killed((await savingCalls()).at(-1)!)

  async function expectTruth(machine: SimulatedMachine, steps: readonly Step[]): Promise<void> {
    expect(await seenOn(machine)).toEqual((await truthOf(steps)).at(-1))
    expect(await savedOn(machine)).toBeUndefined()
    expectNothingLeft(machine)
  }

  async function expectGoesOn(machine: SimulatedMachine): Promise<void> {
    expect((await runOn(machine, [first, [large]], UNMERGED)).error).toBeUndefined()
    await expectTruth(machine, [first, [large]])
  }

  test('is whole behind a kill at any call, and each of its rows is in one run', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          keysArb,
          keysArb.map(keys => keys.toSorted()),
        ),
        fc.constantFrom(50, 200),
        fc.nat(),
        fc.nat(),
        fc.constantFrom<CrashKind>('process', 'power'),
        async (keys, sortBytes, place, next, kind) => {
          const steps = [first, [bootstrap(2, keys)]]
          const sizes = { ...UNMERGED, sortBytes }
          const truth = (await truthOf(steps)).map(seen => JSON.stringify(seen))
          const machine = new SimulatedMachine(place)
          await runOn(machine, steps, sizes)
          const { calls } = machine
          const ended = new SimulatedMachine(place)
          for (const at of [place, next]) {
            await runOn(ended, steps, sizes, { at: 1 + (at % calls), what: 'within' })
            ended.crash(kind)
            expect(truth).toContain(JSON.stringify(await seenOn(ended)))
          }
          expect((await runOn(ended, steps, sizes)).error).toBeUndefined()
          await expectTruth(ended, steps)
          const { item } = (await manifestOn(ended)).tables
          expect(rowsOf(item.runs)).toBe(2 + keys.length)
        },
      ),
      { numRuns: ALL ? 3_000 : 60 },
    )
  }, 600_000)

  test('gets the rows that are not saved, and those that are stay in their runs', async () => {
    for (const at of await savingCalls()) {
      const machine = await killed(at)
      const saved = (await savedOn(machine))!
      await expectGoesOn(machine)
      const { runs } = (await manifestOn(machine)).tables.item
      const names = saved.map(({ name }) => name)
      const added = runs.filter(({ name, sequence }) => sequence === 2 && !names.includes(name))
      expect(runs).toEqual(expect.arrayContaining(saved.map(run => ({ ...run, sequence: 2 }))))
      expect(rowsOf(added)).toBe(largeKeys.length - rowsOf(saved))
      expect(
        machine.log.filter(call => names.some(name => call === `write ${FOLDER}/${name}`)),
      ).toEqual([])
    }
  })

  test.each<[string, readonly Step[]]>([
    ['another file is next', [[groups(1, ['a'])], [large]]],
    ['it has another size', [[bootstrap(2, KEYS)]]],
    ['it has other rows', [[{ ...large, rows: bootstrap(2, largeKeys.toReversed()).rows }]]],
    ['it has fewer rows', [[{ ...large, rows: bootstrap(2, KEYS).rows }]]],
  ])('begins anew where %s', async (_, after) => {
    const machine = await killedLate()
    for (let n = 1; n <= after.length; n++) {
      const steps = [first, ...after.slice(0, n)]
      expect((await runOn(machine, steps)).error).toBeUndefined()
      await expectTruth(machine, steps)
    }
  })

  test.each<[string, (error: FeedError) => Partial<TargetFile>]>([
    ['proves damaged', error => ({ rows: () => endingWith(error) })],
    ['is refused', error => ({ checkRemoval: () => fail(error) })],
  ])('leaves nothing where it %s', async (_, changed) => {
    const machine = await killedLate()
    const damage = { byteOffset: 1, expected: 2, actual: 3 }
    const file = { ...large, ...changed(new FeedError('GZIP_CRC_MISMATCH', 'damaged', damage)) }
    expect((await runOn(machine, [first, [file]])).error).toMatchObject({ message: /damaged/ })
    await expectTruth(machine, [first])
    await expectGoesOn(machine)
  })

  test('stays where the run is stopped', async () => {
    const machine = await killedLate()
    const before = await savedOn(machine)
    const stop = new AbortController()
    stop.abort()
    const rows = () => endingWith(stop.signal.reason)
    const file = { ...large, signal: stop.signal, rows }
    expect((await runOn(machine, [first, [file]])).error).toBe(stop.signal.reason)
    expect(await savedOn(machine)).toEqual(before)
    await expectGoesOn(machine)
  })

  test('begins anew where what was saved is lost or damaged', async () => {
    const machine = await killedLate()
    const runs = (await savedOn(machine))!
    expect(runs.length).toBeGreaterThan(2)
    for (const { name } of runs) {
      const [lost, damaged] = [machine.copy(0), machine.copy(0)]
      lost.damage(`${FOLDER}/${name}`, () => null)
      await expectGoesOn(lost)
      damaged.damage(`${FOLDER}/${name}`, bytes => bytes.fill(7))
      const { error } = await runOn(damaged, [first, [large]])
      expect(error).toMatchObject({ code: 'STATE_CORRUPT' })
      await expectGoesOn(damaged)
    }
  })

  function fail(error: Error): never {
    throw error
  }

  async function* endingWith(error: unknown) {
    yield* large.rows()
    throw error
  }
})

describe('a damaged folder', () => {
  async function codeOf(work: Promise<unknown>): Promise<string> {
    const error = await work.then(
      () => undefined,
      failure => failure,
    )
    if (error === undefined) return 'none'
    expect(error.message).toMatch(/; restore the whole folder of the state from a copy, or /)
    return error.code
  }

  test('is STATE_CORRUPT, or the damage has no effect', async () => {
    const machine = new SimulatedMachine(0)
    await runOn(machine, STEPS)
    const whole = await seenOn(machine)
    const paths = [...machine.filesUnder(FOLDER).keys()]
    expect(paths.length).toBeGreaterThan(4)
    for (const path of paths) {
      /** The codes that a reader and a writer get. What they get instead is the truth. */
      const damaged = async (change: (bytes: Buffer) => Buffer | null) => {
        const copy = machine.copy(0)
        copy.damage(path, change)
        const reading = seenOn(copy).then(seen => expect(seen).toEqual(whole))
        const writing = runOn(copy, STEPS).then(({ error }) => {
          if (error !== undefined) throw error
        })
        return [path, ...(await Promise.all([codeOf(reading), codeOf(writing)]))]
      }
      const size = machine.filesUnder(FOLDER).get(path)!.length
      for (let at = 0; at < size; at += ALL ? 1 : 97) {
        const flipped = await damaged(bytes => {
          bytes[at]! ^= 1 << (at % 8)
          return bytes
        })
        expect(flipped.filter(code => code !== 'none' && code !== 'STATE_CORRUPT')).toEqual([path])
        const cut = await damaged(bytes => bytes.subarray(0, at))
        expect([at, ...cut]).toMatchObject([at, path, 'STATE_CORRUPT', expect.anything()])
      }
      expect(await damaged(() => null)).toEqual([path, 'STATE_CORRUPT', 'STATE_CORRUPT'])
    }
  }, 900_000)
})
