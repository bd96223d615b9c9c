// Asynchronous functions where nothing would wait for them: a compile error, and OPTION_INVALID for
// callers without types.

import { afterAll, expect, test } from 'vitest'
import {
  ColumnDecoder,
  cell,
  defineSchema,
  int32,
  type PipelineOptions,
  pipeline,
  TsvColumnParser,
  TsvObjectParser,
  TsvRowParser,
} from '../src/index'

const unhandled: unknown[] = []
const see = (error: unknown) => void unhandled.push(error)
process.on('unhandledRejection', see)
afterAll(() => void process.off('unhandledRejection', see))

const columns = { a: int32(), b: int32() }
const rows = (onBadRow: unknown = 'skip', more: object = {}) =>
  pipeline([Buffer.from('a\tb\n1\n1\tx\n2\t3\n')]).to(
    new TsvRowParser({ onBadRow: onBadRow as 'skip', ...more }),
  )
const schema = defineSchema({ name: 'x', columns })

type Run = (asynchronous: () => unknown) => Promise<unknown>
const CALLBACKS: Record<string, Run> = {
  onBadRow: given => rows(given).toArray(),
  'onBadCell of ColumnDecoder': given =>
    rows('skip', { schema })
      .to(new ColumnDecoder({ onBadCell: given as () => void }))
      .toArray(),
  'onBadCell of TsvObjectParser': given =>
    pipeline([Buffer.from('a\nx\n')])
      .to(new TsvObjectParser({ schema, onBadCell: given as () => void }))
      .toArray(),
  'onBadCell of TsvColumnParser': given =>
    pipeline([Buffer.from('a\nx\n')])
      .to(new TsvColumnParser({ schema, onBadCell: given as () => void }))
      .toArray(),
  keep: given =>
    rows()
      .filter(given as () => boolean)
      .toArray(),
  onSettled: given => pipeline([1], { onSettled: given as () => void }).toArray(),
  onProgress: given => pipeline([1], { onProgress: given as () => void }).toArray(),
  cell: given =>
    pipeline([Buffer.from('a\n1\n')])
      .to(
        new TsvObjectParser({
          schema: defineSchema({ name: 'y', columns: { a: cell(given as () => string) } }),
          onBadCell: 'null',
        }),
      )
      .toArray(),
}
const PROMISES: Record<string, () => unknown> = {
  'a promise that rejects': () => Promise.reject(new RangeError('late')),
  'a promise': async () => 1,
  // biome-ignore lint/suspicious/noThenProperty: it is what such a function returns
  'a thenable that rejects': () => ({ then: (_: unknown, no: (e: Error) => void) => no(Error()) }),
}

test.each(Object.keys(CALLBACKS).flatMap(name => Object.keys(PROMISES).map(kind => [name, kind])))(
  'fault 118: %s that returns %s is refused, and its failure is seen',
  async (name, kind) => {
    await expect(CALLBACKS[name!]!(PROMISES[kind!]!)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      context: { option: `${name!.split(' ')[0]}()` },
    })
    await new Promise(setImmediate)
    expect(unhandled).toEqual([])
  },
)

test('fault 118: asynchronous functions do not compile there, and what returns anything else does', () => {
  const late = async () => {}
  const options: PipelineOptions[] = [
    // @ts-expect-error nothing waits for it
    { onProgress: late },
    // @ts-expect-error nothing waits for it
    { onSettled: late },
    { onProgress: progress => [].push(progress as never) },
    { onSettled: () => new Map() },
  ]
  // @ts-expect-error nothing waits for it
  expect(new TsvRowParser({ onBadRow: late }).name).toBe('TsvRowParser')
  // @ts-expect-error nothing waits for it
  expect(new ColumnDecoder({ onBadCell: late }).name).toBe('ColumnDecoder')
  // @ts-expect-error no value comes of a promise
  expect(cell(late).type).toBe('cell')
  const date: Date | null = pipelineCell(cell(text => new Date(text)))
  expect([options.length, date]).toEqual([4, null])
})

/** The type of the values of a column. */
function pipelineCell<V>(_column: { readonly __cell?: V | undefined }): V | null {
  return null
}
