// `feedmill sync --quarantine` and `feedmill replay --state` as whole commands: they run against a
// service with damaged rows, and the result is compared with that of the undamaged service.

import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { program } from '../../../src/cli/program'
import { damagedService } from '../damaged-service'
import { outcomeOf, served } from '../served'

let at: Awaited<ReturnType<typeof served>>
let service: Awaited<ReturnType<typeof damagedService>>
/** The rows before their damage, by their damaged bytes. */
const undamaged = new Map<string, string>()

beforeAll(async () => {
  at = await served()
  service = await damagedService(at.emulator, '/item_snapshot', (row, number) => {
    if (number % 3 !== 1) return row
    // A row without its first cell border, and a row with one cell more.
    const bad = number % 2 === 0 ? row.replace('\t', '') : `more\t${row}`
    undamaged.set(bad, row)
    return bad
  })
})
afterAll(async () => {
  await service.close()
  await at.close()
})

const place = (name: string) => join(at.folder, name)
const command = (...words: string[]) =>
  outcomeOf(async () => {
    await program(['node', 'feedmill', ...words]).parseAsync(words, { from: 'user' })
  })

const sync = (baseUrl: string, state: string, ...words: string[]) =>
  command(
    ...['sync', '--marketplace', 'MKT_US', '--category', '220', '--state', place(state)],
    ...['--base-url', baseUrl, '--token-url', at.command.tokenUrl!],
    ...['--scope-base', at.command.scopeBase!, '--credentials', at.command.credentials!],
    ...['--now', at.now.toISOString(), ...words],
  )

const replay = (state: string, ...words: string[]) =>
  command('replay', ...quarantines(state), '--state', place(state), ...words)

const quarantines = (state: string) =>
  existsSync(place(`${state}/quarantine`))
    ? readdirSync(place(`${state}/quarantine`)).map(name => place(`${state}/quarantine/${name}`))
    : []

/** Puts the undamaged rows into the records of a state's quarantines. */
function mend(state: string): void {
  for (const path of quarantines(state)) {
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    const mended = lines.map(line => {
      const record = JSON.parse(line)
      if (record.row === undefined) return line
      const text = undamaged.get(record.text)
      return text === undefined ? expect.fail(record.text) : JSON.stringify({ ...record, text })
    })
    writeFileSync(path, `${mended.join('\n')}\n`)
  }
}

async function exported(state: string): Promise<string> {
  const out = place(`${state}.ndjson`)
  const { error } = await command('export', '--state', place(state), '--out', out)
  expect(error).toBeUndefined()
  return readFileSync(out, 'utf8')
}

/** The items that a reader of all changes, in the order of their logs, has in the end. */
function itemsOfChanges(paths: readonly string[]): Record<string, unknown> {
  const items: Record<string, unknown> = {}
  const lines = paths.flatMap(path => readFileSync(path, 'utf8').split('\n'))
  for (const line of lines.filter(each => each !== '')) {
    const { part, id, row } = JSON.parse(line)
    if (part !== 'item') continue
    if (row === null) delete items[id]
    else items[id] = row
  }
  return items
}
const logsOf = (state: string) =>
  readdirSync(place(`${state}/changes`))
    .sort()
    .map(name => place(`${state}/changes/${name}`))

describe('a service with damaged rows', () => {
  test('sync --quarantine keeps them, and says how many rows it read, kept and left out', async () => {
    const { out, exitCode, error } = await sync(
      service.url,
      'damaged',
      '--quarantine',
      '--changes',
      '--json',
    )
    expect([exitCode, error]).toEqual([undefined, undefined])
    const summary = JSON.parse(out.at(-1)!)
    const records = quarantines('damaged').flatMap(path =>
      readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .filter(line => 'row' in JSON.parse(line)),
    )
    expect(records.length).toBeGreaterThan(20)
    expect(records).toHaveLength(undamaged.size)
    expect(summary.rowsLeftOut).toBe(records.length)
    expect(summary.rowsRead).toBe(summary.rowsKept + summary.rowsLeftOut)
    const right = await sync(at.command.baseUrl!, 'right', '--changes', '--json')
    expect(summary.rowsRead).toBe(JSON.parse(right.out.at(-1)!).rowsRead)
  })

  test('sync --quarantine prints the same sum for people', async () => {
    const { out } = await sync(service.url, 'people', '--quarantine')
    const [, read, kept, left] =
      /^(\d+) rows read, (\d+) kept, (\d+) left out$/.exec(out.at(-2)!) ?? expect.fail(out.at(-2))
    expect(Number(read)).toBe(Number(kept) + Number(left))
    expect(Number(left)).toBe(undamaged.size)
  })

  test('rows that nobody mended stay, with exit code 1', async () => {
    cpSync(place('damaged'), place('unmended'), { recursive: true })
    const before = quarantines('unmended').map(path => readFileSync(path, 'utf8'))
    const { out, exitCode } = await replay('unmended')
    const bad = undamaged.size
    expect(out).toEqual([`${bad} rows read: 0 merged, 0 no news, ${bad} still bad, 0 too old`])
    expect(exitCode).toBe(1)
    expect(quarantines('unmended').map(path => readFileSync(path, 'utf8'))).toEqual(before)
  })

  test('replay of the mended rows gives the state of the undamaged service, and its changes', async () => {
    expect(await exported('damaged')).not.toBe(await exported('right'))
    mend('damaged')
    const { out, exitCode, error } = await replay('damaged', '--json')
    expect([exitCode, error]).toEqual([undefined, undefined])
    const summary = JSON.parse(out[0]!)
    expect(summary).toMatchObject({ rowsRead: undamaged.size, stillBad: 0, tooOld: 0 })
    expect(summary.merged).toBeGreaterThan(0)
    expect(quarantines('damaged')).toEqual([])
    const items = await exported('right')
    expect(await exported('damaged')).toBe(items)
    const ofChanges = itemsOfChanges(logsOf('damaged'))
    const rightChanges = itemsOfChanges(logsOf('right'))
    // Mended rows of the first bootstrap are changes, and its other rows are none.
    expect(ofChanges).toMatchObject(rightChanges)
    expect(Object.keys(rightChanges).length).toBeGreaterThan(10)
  })

  test.each(['plain', 'debezium'])(
    'replay --changes appends %s changes to the file of sync --changes',
    async format => {
      const [state, changes] = [`changes-${format}`, place(`changes-${format}.ndjson`)]
      const words = ['--changes', changes, '--changes-format', format]
      await sync(service.url, state, '--quarantine', ...words)
      const lines = readFileSync(changes, 'utf8').split('\n').length
      mend(state)
      const { out, error } = await replay(state, ...words, '--json')
      expect(error).toBeUndefined()
      const added = readFileSync(changes, 'utf8')
        .trimEnd()
        .split('\n')
        .slice(lines - 1)
      const { merged } = JSON.parse(out[0]!)
      expect(added).toHaveLength(merged)
      const [first] = added.map(line => JSON.parse(line))
      expect(Object.keys(first)).toEqual(
        format === 'plain'
          ? ['part', 'kind', 'id', 'at', 'file', 'row']
          : ['before', 'after', 'source', 'op', 'ts_ms'],
      )
      expect(existsSync(place(`${state}/changes`))).toBe(false)
    },
  )

  test('replay records no changes of files whose run recorded none', async () => {
    await sync(service.url, 'none', '--quarantine')
    mend('none')
    expect((await replay('none')).exitCode).toBeUndefined()
    expect(existsSync(place('none/changes'))).toBe(false)
  })
})
