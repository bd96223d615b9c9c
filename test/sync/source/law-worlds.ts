// The law of a state of a feed of one's own, over worlds of small files:
//
//   The state is a function of the set of applied files, with the rows that replays have mended each
//   at its place in its own file: not of the order, the runs, the merges, the pauses or the kills.
//   The change log and the counts follow the order of applying: the log replayed to the end of any
//   file gives the state behind it, and no line is rewritten.
//
// A violation is an AssertionError.

import { deepStrictEqual, ok } from 'node:assert/strict'
import fc from 'fast-check'
import { closing } from '../../../src/engine/disk/closing'
import { defineSchema, int32 } from '../../../src/index'
import { fileIdKey, type OwnId } from '../../../src/sync/file-id'
import { statePaths } from '../../../src/sync/folder/state-paths'
import { openState } from '../../../src/sync/read/open-state'
import { replayIntoState } from '../../../src/sync/run/replay-into-state'
import type { AppliedFile } from '../../../src/sync/target/target'
import { type CrashKind, SimulatedMachine, type Trouble } from '../simulated-machine'
import { FOLDER } from '../small-run'
import { type NaiveFile, naiveRows } from './naive-merge'
import { cellsOf, mergeRunsOf, SmallFeed, type SmallRow, type Stock, schema } from './small-feed'

/** What happens in a world. Where a process is killed, the next one does it again. */
export interface Step {
  /** `small` merges are of few runs of few bytes. */
  readonly what: 'run' | 'replay' | 'merge' | 'small merge'
  /** How many of the next files a run finds, or which of the bad rows are mended, bit by bit. */
  readonly which: number
  readonly kill?: (Trouble & { readonly crash: CrashKind }) | undefined
}

export interface World {
  readonly hasVersion: boolean
  /** In the order in which they arrive. */
  readonly files: readonly NaiveFile[]
  readonly steps: readonly Step[]
}

const row: fc.Arbitrary<SmallRow> = fc.record({
  sku: fc.constantFrom('a', 'a', 'b', 'é'),
  revision: fc.integer({ min: 1, max: 4 }),
  gone: fc.integer({ min: 0, max: 4 }).map(n => n === 4),
  title: fc.constantFrom('x', 'y', 'z'),
  fault: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: fc.constantFrom('version', 'mark', 'extra', 'cell') },
  ),
})
const file = fc.record({
  kind: fc.constantFrom('changes' as const, 'changes' as const, 'full' as const),
  minute: fc.integer({ min: 0, max: 6 }),
  // Many rows are sorted in parts.
  rows: fc.oneof(
    { weight: 4, arbitrary: fc.array(row, { maxLength: 4 }) },
    { weight: 1, arbitrary: fc.array(row, { minLength: 9, maxLength: 16, size: 'max' }) },
  ),
})
const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom('run', 'run', 'run', 'replay', 'merge', 'merge', 'small merge'),
  which: fc.nat({ max: 1 << 16 }),
  kill: fc.option(
    fc.record({
      at: fc.integer({ min: 1, max: 150 }),
      what: fc.constantFrom('before', 'within', 'after', 'EIO', 'ENOSPC'),
      lasting: fc.boolean(),
      crash: fc.constantFrom('process', 'power'),
    }),
    { nil: undefined, freq: 3 },
  ),
})

export const worlds: fc.Arbitrary<World> = fc
  .record({
    hasVersion: fc.boolean(),
    ids: fc.shuffledSubarray(['1', '9', '10', 'B', 'a', 'b', '\uffe6', '\u{1f600}', 'c', 'd'], {
      minLength: 10,
    }),
    files: fc.array(file, { minLength: 1, maxLength: 10 }),
    areFullLate: fc.boolean(),
    steps: fc.array(step, { maxLength: 12 }),
  })
  .map(({ ids, files, areFullLate, ...rest }) => {
    // No two full files have one time.
    const isRepeated = ({ kind, minute }: (typeof files)[number] | NaiveFile, n: number) =>
      kind === 'full' && files.findIndex(each => each.kind === kind && each.minute === minute) < n
    const named = files.map((each, n): NaiveFile => ({ ...each, id: ids[n]! }))
    const arriving = named.filter((each, n) => !isRepeated(each, n))
    // One of them may take away what later files have lost to.
    const late = arriving.toSorted((a, b) => fullMinute(a) - fullMinute(b))
    return { ...rest, files: areFullLate ? late : arriving }
  })

function fullMinute({ kind, minute }: NaiveFile): number {
  return kind === 'full' ? minute : -1
}

/** Lets a world happen, and checks the law behind each step. */
export async function checkLaw(world: World): Promise<void> {
  const atEnd: (() => void)[] = []
  try {
    await new Checked(world, new SmallFeed(remove => atEnd.push(remove))).all()
  } finally {
    for (const remove of atEnd) remove()
  }
}

const columns = { ...schema.columns, extra: int32() }
const paths = statePaths(FOLDER)
/** The numbers of two steps behind the others: all files are applied, and all rows are mended. */
const ALL = (1 << 17) - 1

const NO_SHARES = { maxRemovedShare: 1, maxBadShare: 1 }

/** The cells of rows by their keys. */
type Rows = Map<string, readonly string[]>

class Checked {
  readonly #world: World
  readonly #feed: SmallFeed
  readonly #source: Stock
  readonly #machine = new SimulatedMachine(0)
  /** The files that have arrived. */
  #arrived = 0
  /** The rows that are mended, as the file and the place of each. */
  readonly #mended = new Set<string>()
  #ledger: readonly AppliedFile[] = []
  #logs = new Map<string, string>()
  /** What the change logs say. */
  readonly #told: Rows = new Map()
  /** How many rows there are, by what is counted. */
  #counted = 0

  constructor(world: World, feed: SmallFeed) {
    this.#world = world
    this.#feed = feed
    const { version, ...source } = feed.source({
      schema: defineSchema({ name: 'stock', columns }) as never,
    })
    this.#source = world.hasVersion ? { ...source, version: version! } : source
  }

  async all(): Promise<void> {
    const last: readonly Step[] = [
      { what: 'run', which: ALL },
      { what: 'replay', which: ALL },
      { what: 'merge', which: 0 },
    ]
    for (const each of [...this.#world.steps, ...last]) {
      if (each.what === 'run') await this.#run(each)
      else if (this.#ledger.length === 0) continue
      else if (each.what === 'replay') await this.#replay(each)
      else await this.#merge(each)
      await this.#checkRows()
      deepStrictEqual(this.#told.size, this.#counted)
    }
  }

  async #run(each: Step): Promise<void> {
    this.#arrive(each.which === ALL ? this.#world.files.length : 1 + (each.which % 3))
    const arriveBehindKill = async () => {
      await this.#checkRows()
      if (each.which % 2 === 0) this.#arrive(1)
    }
    await this.#inProcesses(each, arriveBehindKill, environment => {
      const source = this.#source
      const options = { source, quarantine: 'files', changes: 'files', changeRows: 'both' } as const
      return this.#feed.sync(environment, { ...options, ...NO_SHARES }).summary
    })
    const before = this.#ledger.length
    this.#ledger = await this.#read(({ files: ledger }) => Promise.resolve(ledger))
    const logs = this.#changedLogs()
    for (const [n, { id, sequence, rows }] of this.#ledger.entries()) {
      if (n < before) continue
      const path = paths.changeFile({ id, sequence })
      const wanted = this.#wanted(this.#ledger.slice(0, n + 1))
      if (n === 0 && (id as OwnId).kind === 'full')
        for (const [sku, cells] of wanted) this.#told.set(sku, cells)
      else {
        const { inserted, updated, deleted } = rows
        deepStrictEqual(this.#tell(logs.get(path) ?? ''), { inserted, updated, deleted }, path)
      }
      deepStrictEqual(sorted(this.#told), wanted, `the logs up to ${path}`)
      this.#counted += rows.inserted - rows.deleted
      logs.delete(path)
    }
    deepStrictEqual([...logs.keys()], [])
  }

  #arrive(count: number): void {
    const from = this.#arrived
    this.#arrived += count
    for (const arriving of this.#world.files.slice(from, this.#arrived)) this.#feed.add(arriving)
  }

  async #replay(each: Step): Promise<void> {
    const chosen: string[] = []
    let bad = 0
    const applied = this.#applied(this.#ledger)
    for (const { id, rows } of applied)
      for (const [at, { fault }] of rows.entries())
        if (fault !== undefined && (each.which >> (bad++ % 17)) & 1) chosen.push(placeOf(id, at))
    const again = async () => {}
    await this.#inProcesses(each, again, environment => {
      const files = this.#mend(new Set(chosen))
      return replayIntoState({ folder: FOLDER, source: this.#source, files, environment })
    })
    for (const place of chosen) this.#mended.add(place)
    const logs = [...this.#changedLogs()]
    for (const [path, lines] of logs) {
      ok(path.endsWith('.replay.ndjson'), path)
      const { inserted, deleted } = this.#tell(lines)
      this.#counted += inserted - deleted
    }
    const wanted = this.#wanted(this.#ledger)
    deepStrictEqual(sorted(this.#told), wanted, 'the logs up to the replay')
  }

  async #merge(each: Step): Promise<void> {
    const sizes = each.what === 'merge' ? {} : { mostRuns: 2, firstSize: 40 }
    const check = () => this.#checkRows()
    await this.#inProcesses(each, check, environment =>
      mergeRunsOf(this.#source, environment, sizes),
    )
    deepStrictEqual([...this.#changedLogs()], [])
  }

  async #checkRows(): Promise<void> {
    if (this.#ledger.length === 0) return
    await this.#read(async feed => {
      const found: Rows = new Map()
      for await (const block of feed.rows())
        for (const each of block) {
          const cells = Object.keys(columns).map(name => each.text(name))
          found.set(each.text('sku'), cells)
          const alone = await feed.row(each.text('sku'))
          deepStrictEqual(alone?.toStrings(), each.toStrings())
        }
      deepStrictEqual([...found], [...this.#wanted(feed.files)])
    })
  }

  /** Does a step, and does it again where its process is killed: `behindKill` is between them. */
  async #inProcesses(
    { kill }: Step,
    behindKill: () => Promise<void>,
    work: (environment: ReturnType<SimulatedMachine['start']>) => Promise<unknown>,
  ): Promise<void> {
    if (kill !== undefined) {
      try {
        await work(this.#machine.start(kill))
        return
      } catch (error) {
        if (this.#machine.calls < kill.at) throw error
        this.#machine.crash(kill.crash)
        await behindKill()
      }
    }
    await work(this.#machine.start())
  }

  async #read<T>(read: (feed: ReturnType<typeof this.feedOf>) => Promise<T>): Promise<T> {
    const environment = this.#machine.start()
    return closing(await openState(FOLDER, { environment }), state => read(this.feedOf(state)))
  }

  feedOf(state: Awaited<ReturnType<typeof openState>>) {
    return state.feed(this.#source)
  }

  /** Mends records in the quarantines of the applied files, and returns the paths of these. */
  #mend(chosen: ReadonlySet<string>): string[] {
    const quarantines = [...this.#machine.filesUnder(paths.quarantine)]
    // A run that was killed may have left the quarantine of a file that a full file made needless.
    const ofLedger = quarantines.filter(([path, text]) => {
      const name =
        path.endsWith('.ndjson') &&
        JSON.parse(Buffer.from(text, 'latin1').toString().split('\n')[0]!).name
      return this.#ledger.some(({ id }) => fileIdKey(id) === name)
    })
    for (const [path] of ofLedger)
      this.#machine.damage(path, bytes => {
        let id = ''
        const lines = bytes.toString().trimEnd().split('\n')
        const mended = lines.map(line => {
          const record = JSON.parse(line)
          if (record.file !== undefined) id = record.file.id
          else if (chosen.has(placeOf(id, record.row - 1))) {
            const of = this.#world.files.find(each => each.id === id)!
            record.text = `${cellsOf({ ...of.rows[record.row - 1]!, fault: undefined }).join(',')}\n`
          }
          return JSON.stringify(record)
        })
        return Buffer.from(`${mended.join('\n')}\n`)
      })
    return ofLedger.map(([path]) => path)
  }

  /** The files of a ledger, with the rows that are mended. */
  #applied(ledger: readonly AppliedFile[]): NaiveFile[] {
    return ledger.map(({ id }) => {
      const of = this.#world.files.find(each => each.id === (id as OwnId).id)!
      const rows = of.rows.map((each, at) =>
        this.#mended.has(placeOf(of.id, at)) ? { ...each, fault: undefined } : each,
      )
      return { ...of, rows }
    })
  }

  /** What stands behind the files of a ledger. */
  #wanted(ledger: readonly AppliedFile[]): Rows {
    const stands = naiveRows(this.#applied(ledger), this.#world.hasVersion)
    return new Map(stands.map(each => [each.row.sku, inOrder(cellsOf(each.row))]))
  }

  /** Returns what has been added to the logs, of which nothing else may change. */
  #changedLogs(): Map<string, string> {
    const logs = this.#machine.filesUnder(paths.changes)
    const added = new Map<string, string>()
    for (const [path, before] of this.#logs)
      ok(logs.get(path)?.startsWith(before), `a line of ${path} is rewritten`)
    const last = [...this.#logs.keys()].at(-1) ?? ''
    for (const [path, text] of logs) {
      const before = this.#logs.get(path)
      if (text === before) continue
      ok(path >= last, `${path} changes behind ${last}`)
      added.set(path, text.slice(before?.length ?? 0))
    }
    this.#logs = logs
    return added
  }

  /** Makes the changes of lines to what the logs say, and counts them by their kinds. */
  #tell(lines: string): Record<'inserted' | 'updated' | 'deleted', number> {
    const counts = { inserted: 0, updated: 0, deleted: 0 }
    for (const line of lines.split('\n').filter(each => each !== '')) {
      const { kind, id, row: after, before } = JSON.parse(Buffer.from(line, 'latin1').toString())
      deepStrictEqual([kind === 'inserted', kind === 'deleted'], [!before, !after])
      deepStrictEqual(before ? textsOf(before) : undefined, this.#told.get(id), line)
      counts[kind as keyof typeof counts]++
      if (after === null) this.#told.delete(id)
      else this.#told.set(id, textsOf(after))
    }
    return counts
  }
}

function placeOf(id: string, at: number): string {
  return `${at} of ${id}`
}

/** Returns the texts of the cells of a row in a log. */
function textsOf(logged: Readonly<Record<string, unknown>>): string[] {
  const invalid = Object(logged.invalid)
  return Object.keys(columns).map(name => String(invalid[name] ?? logged[name] ?? ''))
}

/** Returns cells in the order of the columns of the schema. */
function inOrder([title, sku, gone, revision, extra]: readonly string[]): string[] {
  return [sku!, revision!, gone!, title!, extra!]
}

function sorted(rows: Rows): Rows {
  return new Map([...rows].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
}
