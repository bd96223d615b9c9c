// A file system that fails at each call behind the preparation of a sink: which files are new, which
// are old, and what the error says of each.
//
// Long: every sink runs once for each of its calls and each kind of failure.

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { arrowSink } from '../../../src/arrow'
import {
  byteSink,
  concat,
  csvSink,
  FeedError,
  ndjsonSink,
  pipeline,
  type Sink,
  TsvRowParser,
  tee,
} from '../../../src/index'
import { parquetSink } from '../../../src/parquet'

/** How a call fails: before it does its work, or behind it, as where an answer is lost. */
interface Fault {
  readonly call: number
  readonly code: string
  readonly isDone: boolean
}
const disk = vi.hoisted(() => ({
  isOn: false,
  calls: [] as string[],
  fault: undefined as Fault | undefined,
}))
vi.mock('node:fs/promises', async load => {
  const actual = await load<typeof import('node:fs/promises')>()
  const counted = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    if (!disk.isOn) return work()
    disk.calls.push(name)
    const { fault } = disk
    if (fault?.call !== disk.calls.length) return work()
    // A handle that nobody gets is closed.
    if (fault.isDone) await ((await work()) as { close?(): Promise<void> } | undefined)?.close?.()
    throw Object.assign(new RangeError(`${fault.code}: ${name}`), { code: fault.code })
  }
  return {
    ...actual,
    rename: (from: string, to: string) => counted('rename', () => actual.rename(from, to)),
    open: async (path: string, flags: string | number, mode?: number) => {
      if (flags !== 'r') return actual.open(path, flags, mode)
      const handle = await counted('open', () => actual.open(path, 'r'))
      return {
        sync: () => counted('fsync', () => handle.sync()),
        close: () => handle.close(),
      }
    },
  }
})

const folder = await mkdtemp(join(tmpdir(), 'feedmill-commit-'))
afterAll(() => rm(folder, { recursive: true }))
beforeEach(async () => {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true })
})

const TSV = Buffer.from('sku\tstock\nA-1\t12\n')
const at = (name: string) => join(folder, name)
const dates = ['20260101', '20260102', '20260103']
const partOf = (date: string) => `lake/date=${date.replace(/^(....)(..)/, '$1-$2-')}/item.parquet`
const lake = () => parquetSink(at('lake'), { partitionBy: ['date'] }) as Sink<unknown>

/** Each sink with its files, and the name of each file in an error of several. */
const SINKS: [string, () => Sink<unknown>, [file: string, label: string][]][] = [
  ['csv', () => csvSink(at('a')) as Sink<unknown>, [['a', at('a')]]],
  ['ndjson', () => ndjsonSink(at('a'), { compress: 'gzip' }) as Sink<unknown>, [['a', at('a')]]],
  ['arrow', () => arrowSink(at('a')) as Sink<unknown>, [['a', at('a')]]],
  ['parquet', () => parquetSink(at('a')) as Sink<unknown>, [['a', at('a')]]],
  ['parquet in parts', lake, dates.map(date => [partOf(date), at(partOf(date))])],
  [
    'tee',
    () => tee([csvSink(at('a')), ndjsonSink(at('b')), arrowSink(at('c'))] as Sink<unknown>[]),
    [
      ['a', 'sink 1 (csv)'],
      ['b', 'sink 2 (ndjson)'],
      ['c', 'sink 3 (arrow)'],
    ],
  ],
  [
    'tee of parts and of a tee',
    () =>
      tee([
        csvSink(at('a')),
        lake(),
        tee([ndjsonSink(at('b')), arrowSink(at('c'))] as Sink<unknown>[]),
      ] as Sink<unknown>[]),
    [
      ['a', 'sink 1 (csv)'],
      ...dates.map((date): [string, string] => [
        partOf(date),
        `sink 2 (parquet): ${at(partOf(date))}`,
      ]),
      ['b', 'sink 3 (tee): sink 1 (ndjson)'],
      ['c', 'sink 3 (tee): sink 2 (arrow)'],
    ],
  ],
]

/** The same sink, with other methods for some. */
function within<T>(sink: Sink<T>, others: Partial<Sink<T>>): Sink<T> {
  return {
    name: sink.name,
    open: () => sink.open?.(),
    write: item => sink.write(item),
    prepare: () => sink.prepare?.(),
    commit: () => sink.commit(),
    abort: error => sink.abort(error),
    ...others,
  }
}

async function outcomeOf(make: () => Sink<unknown>, fault: Fault | undefined) {
  Object.assign(disk, { calls: [], fault, isOn: false })
  const sink = make()
  const parts = dates.map(date =>
    pipeline([TSV]).to(new TsvRowParser({ file: { feed: 'item', date } })),
  )
  const late = within(sink, {
    commit: async () => {
      disk.isOn = true
      await sink.commit()
    },
  })
  try {
    await concat(parts).run(late as never)
    return undefined
  } catch (error) {
    if (!FeedError.is(error)) throw error
    return error
  } finally {
    disk.isOn = false
  }
}

async function prepareFiles(files: readonly (readonly [string, string])[], areThere: boolean) {
  for (const name of await readdir(folder)) await rm(at(name), { recursive: true })
  if (!areThere) return
  for (const [file] of files) {
    await mkdir(dirname(at(file)), { recursive: true })
    await writeFile(at(file), 'before')
  }
}

describe.each(SINKS)('fault 162: %s', (_, make, files) => {
  test.each(files.length > 3 ? [true] : [true, false])(
    'says at each failing call behind its preparation what stands (files there: %s)',
    async areThere => {
      await prepareFiles(files, areThere)
      expect(await outcomeOf(make, undefined)).toBeUndefined()
      const { length } = disk.calls
      expect(length).toBe(3 * files.length)
      for (let call = 1; call <= length; call++)
        for (const [code, isDone] of [
          ['EIO', false],
          ['ENOSPC', true],
        ] as const) {
          await prepareFiles(files, areThere)
          const error = await outcomeOf(make, { call, code, isDone })
          const states = await Promise.all(
            files.map(async ([file]) => {
              const text = await readFile(at(file), 'latin1').catch(() => 'before')
              return text === 'before' ? 'old' : 'new'
            }),
          )
          const where = `${disk.calls.at(-1)} ${call}, done: ${isDone}`
          expect(error, where).toBeDefined()
          expect(error!.retryable).toBe(false)
          expect(error!.message).toContain(code)
          const partly = error as FeedError<'SINK_PARTLY_COMMITTED'>
          const isPartly = error!.code === 'SINK_PARTLY_COMMITTED'
          if (!isPartly) expect(error!.code, where).toBe('SINK_FAILED')
          const { committed, aborted } = isPartly
            ? partly.context
            : { committed: [], aborted: files.map(([, label]) => label) }
          const said = (label: string) => {
            const isIn = (names: readonly string[]) =>
              names.some(
                name =>
                  name === label || name.startsWith(`${label}: `) || label.startsWith(`${name}: `),
              )
            return isIn(committed) ? 'new' : isIn(aborted) ? 'old' : 'nothing'
          }
          expect(
            files.map(([, label]) => said(label)),
            where,
          ).toEqual(states)
          // Nothing else is left behind.
          const left = await readdir(folder, { recursive: true })
          expect(left.filter(name => name.endsWith('.partial'))).toEqual([])
        }
    },
  )
})

test('A file sink writes all rows, or leaves the target as it was: a failure before the commit changes no file', async () => {
  for (const [, make, files] of SINKS) {
    await prepareFiles(files, true)
    const sink = make()
    const failing = within(sink, {
      prepare: async () => {
        await sink.prepare?.()
        throw new RangeError('late')
      },
    })
    const rows = pipeline([TSV]).to(new TsvRowParser({ file: { feed: 'item', date: dates[0]! } }))
    await expect(rows.run(failing as never)).rejects.toMatchObject({ code: 'STAGE_FAILED' })
    for (const [file] of files) expect(await readFile(at(file), 'utf8')).toBe('before')
  }
})

test('fault 162: bytes are said to stand too', async () => {
  const sink = byteSink(at('a'))
  Object.assign(disk, { calls: [], fault: { call: 3, code: 'EIO', isDone: false } })
  const late = {
    ...sink,
    commit: async () => {
      disk.isOn = true
      await sink.commit()
    },
  }
  const run = pipeline([Buffer.from('1')]).run(late as Sink<Uint8Array>)
  await expect(run.finally(() => void (disk.isOn = false))).rejects.toMatchObject({
    code: 'SINK_PARTLY_COMMITTED',
    message: expect.stringContaining(`${at('a')} has its new content`),
    context: { committed: [at('a')], aborted: [] },
    cause: { code: 'SINK_FAILED', context: { reason: 'EIO' } },
  })
})
