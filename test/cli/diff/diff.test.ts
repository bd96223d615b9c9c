import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { run } from '../../../src/cli/program'
import { syncCommand } from '../../../src/cli/sync/sync'
import { openState } from '../../../src/sync'
import { buildZip } from '../../engine/codec/unpack/build-zip'
import { type BuiltCommand, builtCommand, ended } from '../built'
import { outcomeOf, served } from '../served'

let folder: string
let built: BuiltCommand
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'feedmill-diff-'))
  built = await builtCommand()
}, 120_000)
afterAll(async () => {
  await built?.drop()
  rmSync(folder, { recursive: true })
})

function fileOf(name: string, content: string | Uint8Array): string {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

const diff = (...words: string[]) => outcomeOf(() => run(['node', 'feedmill', 'diff', ...words]))

/** Gives the command a text as its standard input. */
async function withInput<T>(content: string, use: () => Promise<T>): Promise<T> {
  const input = vi.spyOn(process, 'stdin', 'get')
  input.mockReturnValue(Readable.from([Buffer.from(content)]) as unknown as typeof process.stdin)
  try {
    return await use()
  } finally {
    input.mockRestore()
  }
}

const BEFORE = 'sku,price,title,old\na,1,"x ""q""",o\nb,12.50,two,o\nc,3,three,o\nc,4,"li\nne",o\n'
const AFTER = 'sku\ttitle\tprice\tnew\nb\ttwo\t12.5\tn\nc\t\t4\tn\nd\té, x\t9\tn\n'
const REPEATED = /before\.csv.*: 1 rows have the key of a later row, which counts$/

describe('two files', () => {
  test('have a line for each key that differs, and one for columns of one side', async () => {
    const [a, b] = [fileOf('before.csv.gz', gzipSync(BEFORE)), fileOf('after.tsv', AFTER)]
    const { out, err, exitCode } = await diff(a, b, '--key', 'sku')
    expect(out).toEqual([
      'removed columns: old',
      'added columns: new',
      '- a',
      '~ b  price: 12.50 → 12.5',
      '~ c  title: li⏎ne → (empty)',
      '+ d',
    ])
    expect(err).toEqual([
      '1 inserted, 2 updated, 1 deleted, 0 unchanged',
      expect.stringMatching(REPEATED),
    ])
    expect(exitCode).toBe(1)
  })

  test('have the same lines as JSON, and a schema says which texts are one value', async () => {
    const columns = { sku: { type: 'text' }, price: { type: 'decimal' } }
    const schema = fileOf('schema.json', JSON.stringify({ name: 'own', columns }))
    const zip = buildZip([{ name: 'after.tsv', content: Buffer.from(AFTER) }])
    const [a, b] = [fileOf('before.csv', BEFORE), fileOf('after.zip', zip)]
    const { out, err, exitCode } = await diff(a, b, '--key', 'sku', '--schema', schema, '--json')
    expect(out.map(line => JSON.parse(line))).toEqual([
      { kind: 'columns', removed: ['old'], added: ['new'] },
      { kind: 'deleted', key: { sku: 'a' } },
      { kind: 'updated', key: { sku: 'c' }, cells: { title: ['li\nne', ''] } },
      { kind: 'inserted', key: { sku: 'd' } },
    ])
    expect([err[0], exitCode]).toEqual(['1 inserted, 1 updated, 1 deleted, 1 unchanged', 1])
  })

  test('that are equal end with 0, whatever their order and their form', async () => {
    const [a, b] = [fileOf('one.csv', 'x,y,z\n1,2,"3"\n4,5,6\n'), 'z\tx\ty\n6\t4\t5\n3\t1\t2\n']
    const { out, err, exitCode } = await withInput(b, () => diff(a, '-', '--key', 'x, y'))
    expect([out, err, exitCode]).toEqual([
      [],
      ['0 inserted, 0 updated, 0 deleted, 2 unchanged'],
      undefined,
    ])
    const columnsOnly = await diff(a, fileOf('two.csv', 'x,y\n1,2\n4,5\n'), '--key', 'x,y')
    expect([columnsOnly.out, columnsOnly.exitCode]).toEqual([['removed columns: z'], 1])
  })

  test('may be at an address and in standard input, with keys of several columns', async () => {
    const bytes = Buffer.from('x,y,z\n1,2,3\n')
    const server = createServer((_, response) =>
      response.writeHead(200, { 'content-length': bytes.length }).end(bytes),
    ).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.csv?sig=pw`
    const { out, err } = await withInput('x\ty\tz\n1\t2\t4\n\t\t\n', () =>
      diff('-', address, '--key', 'x,y', '--bad-rows', 'skip'),
    )
    server.close()
    expect(out).toEqual(['~ 1, 2  z: 4 → 3'])
    expect(err).toEqual([
      '0 inserted, 1 updated, 0 deleted, 0 unchanged',
      'standard input: 1 rows left out',
    ])
  })
})

describe('a bad row', () => {
  const good = () => fileOf('good.csv', 'sku,v\na,1\n')
  test.each([
    ['cannot be read', 'sku,v\na,1,2\nb,2\n', /TSV_ROW_CELLS|TSV_/],
    ['has no key', 'sku,v\n,1\nb,2\n', /KEY_MISSING: .*bad\.csv: .*row 1, line 2/],
  ])('that %s fails the command with its file, or is left out', async (_, text, message) => {
    const bad = fileOf('bad.csv', text)
    const failed = await diff(good(), bad, '--key', 'sku')
    expect([failed.out, failed.exitCode]).toEqual([[], 1])
    expect(failed.err.join()).toMatch(message)
    expect(failed.err.join()).toContain(bad)
    const { out, err } = await diff(good(), bad, '--key', 'sku', '--bad-rows', 'skip')
    expect(out).toEqual(['- a', '+ b'])
    expect(err[1]).toBe(`${bad}: 1 rows left out`)
  })
})

test('wrong usage and missing files are named', async () => {
  const file = fileOf('some.csv', 'sku,v\na,1\n')
  const twice = await diff('-', '-')
  expect([twice.exitCode, twice.err.join()]).toEqual([2, expect.stringMatching(/after must be/)])
  const missing = await diff(file, join(folder, 'none.csv'), '--key', 'sku')
  expect([missing.exitCode, missing.err.join()]).toEqual([1, expect.stringMatching(/ENOENT/)])
  const { err } = await diff(file, file)
  expect(err.join()).toMatch(/COLUMN_UNKNOWN: .*some\.csv: .*itemId/)
  mkdirSync(join(folder, 'empty'))
  expect((await diff(file, join(folder, 'empty'), '--key', 'sku')).err.join()).toMatch(/STATE_/)
})

describe('states', () => {
  let at: Awaited<ReturnType<typeof served>>
  let early: string
  beforeAll(async () => {
    at = await served()
    early = join(at.folder, 'early')
    const until = new Date('2026-03-01T01:00:00Z')
    await outcomeOf(() => syncCommand({ ...at.command, state: early, until }))
    await outcomeOf(() => syncCommand(at.command))
  })
  afterAll(() => at.close())

  async function itemsOf(state: string) {
    const opened = await openState(state)
    try {
      const items = new Map<string, Record<string, string>>()
      for await (const block of opened.categories[0]!.items())
        for (const { itemId, row } of block) items.set(itemId, row.toStrings())
      return items
    } finally {
      await opened.close()
    }
  }

  test('differ as their items do', async () => {
    const { out, exitCode } = await diff(early, at.command.state, '--json', '--category', '220')
    const [before, after] = [await itemsOf(early), await itemsOf(at.command.state)]
    const columns = (all: Map<string, object>) => new Set([...all.values()].flatMap(Object.keys))
    const names = [...columns(before)].filter(name => columns(after).has(name))
    const ids = [...new Set([...before.keys(), ...after.keys()])].sort()
    const expected = ids.flatMap(itemId => {
      const [one, other] = [before.get(itemId), after.get(itemId)]
      const key = { itemId }
      if (!one || !other) return [{ kind: one ? 'deleted' : 'inserted', key }]
      const cells = names
        .map(name => [name, [one[name] ?? '', other[name] ?? '']] as const)
        .filter(([, [a, b]]) => a !== b)
      return cells.length === 0 ? [] : [{ kind: 'updated', key, cells: Object.fromEntries(cells) }]
    })
    expect(new Set(expected.map(({ kind }) => kind)).size).toBe(3)
    const found = out.map(line => JSON.parse(line)).filter(({ kind }) => kind !== 'columns')
    expect(found).toEqual(expected)
    expect(exitCode).toBe(1)
    const same = await diff(early, early)
    expect([same.out, same.exitCode]).toEqual([[], undefined])
  })

  test('without a category that is asked for are refused', async () => {
    const { err, exitCode } = await diff(early, early, '--category', '7')
    expect([err.join(), exitCode]).toEqual([
      expect.stringMatching(/category must be one of 220/),
      2,
    ])
  })
})

test('a signal ends the command with its code, and leaves nothing in the temporary folder', async () => {
  const rows = Array.from({ length: 400_000 }, (_, n) => `${n},${'some text '.repeat(20)}\n`)
  const file = fileOf('large.csv', `sku,text\n${rows.join('')}`)
  const temp = join(folder, 'temp')
  mkdirSync(temp)
  const before = process.env.TMPDIR
  process.env.TMPDIR = temp
  const child = built.start(['diff', file, file, '--key', 'sku'])
  if (before === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = before
  const end = ended(child)
  await vi.waitUntil(() => readdirSync(temp).length > 0, { timeout: 60_000, interval: 5 })
  child.kill('SIGTERM')
  expect((await end).code).toBe(143)
  expect(readdirSync(temp)).toEqual([])
}, 120_000)
