// Long: it runs the programs of fixtures/ingestion/ in processes of their own, several times each.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { VERIFY_FAULTS } from '../../../src/cli/verify/fault-rounds'
import { verify } from '../../../src/cli/verify/verify'
import type { VerifyOptions } from '../../../src/cli/verify/verify-command'
import { runsWith } from '../../tools'
import { outcomeOf } from '../served'

const PROGRAMS = resolve(import.meta.dirname, '../../../fixtures/ingestion')
const folder = mkdtempSync(join(tmpdir(), 'feedmill-verify-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

const OPTIONS: VerifyOptions = {
  seed: 7,
  items: 60,
  marketplace: 'MKT_US',
  headerForm: 'documented',
  output: 'items.ndjson',
  table: 'items',
  rename: [],
  ignore: [],
  attempts: 3,
  timeout: 120,
}

interface Found {
  readonly ok: boolean
  readonly left: readonly string[]
  readonly rounds: readonly {
    readonly name: string
    readonly ok: boolean
    readonly attempts: number
    readonly exitCode: number | null
    readonly unreadable?: string
    readonly differences?: Record<string, number>
    readonly printed: string
  }[]
}

/** Runs the command, and reads the table and the JSON report. */
async function verified(command: readonly string[], options: Partial<VerifyOptions> = {}) {
  const json = join(folder, 'report.json')
  const outcome = await outcomeOf(() => verify(command, { ...OPTIONS, json, ...options }))
  expect(outcome.error).toBeUndefined()
  const report = JSON.parse(readFileSync(json, 'utf8')) as Found
  const differing = (name: string) => {
    const { differences = {} } = report.rounds.find(round => round.name === name)!
    return Object.entries(differences)
      .filter(([kind, count]) => !['rows', 'examples'].includes(kind) && count > 0)
      .map(([kind]) => kind)
  }
  return {
    report,
    text: outcome.out.join('\n'),
    exitCode: outcome.exitCode,
    wrong: report.rounds.filter(({ ok }) => !ok).map(({ name }) => name),
    round: (name: string) => report.rounds.find(round => round.name === name)!,
    differing,
  }
}

const node = (name: string) => [process.execPath, join(PROGRAMS, `${name}.mjs`)]
const script = (text: string) => [process.execPath, '-e', text]
const one = (...fault: string[]) => ({ fault })

/** All rounds take long on a busy machine. */
const ALL_ROUNDS_MS = 300_000

describe('the right programs pass', () => {
  test(
    'in JavaScript: every round',
    async () => {
      const { report, wrong, exitCode, text } = await verified(node('right'))
      expect([wrong, report.left, exitCode]).toEqual([[], [], 0])
      expect(report.rounds.map(({ name }) => name)).toEqual([
        'baseline',
        ...VERIFY_FAULTS.map(({ name }) => name),
        'together',
      ])
      expect(text).toContain('Right: all 20 rounds end with the true state.')
    },
    ALL_ROUNDS_MS,
  )

  test.runIf(runsWith('python3'))('in Python, with CSV and two categories', async () => {
    const { wrong, exitCode } = await verified(['python3', join(PROGRAMS, 'ingest.py')], {
      output: 'items.csv',
      category: ['220', '267'],
      ...one('removals', 'quotes', 'token-expiry', 'reset'),
    })
    expect([wrong, exitCode]).toEqual([[], 0])
  })

  test.runIf(runsWith('curl'))('in a shell with curl', async () => {
    const { wrong, exitCode } = await verified(['sh', join(PROGRAMS, 'ingest.sh')], {
      ...one('removals', 'short'),
    })
    expect([wrong, exitCode]).toEqual([[], 0])
  })
})

test.runIf(runsWith('mkfifo'))(
  'fault 122: an output that is a FIFO or a link to a device is wrong, and is not read',
  async () => {
    const written = ['mkfifo "$FEEDMILL_OUTPUT"', 'ln -s /dev/zero "$FEEDMILL_OUTPUT"']
    for (const text of written) {
      const { report, exitCode } = await verified(['sh', '-c', text], one('429'))
      expect(report.rounds.map(({ unreadable }) => unreadable)).toEqual([
        'the output must be a file',
      ])
      expect(exitCode).toBe(1)
    }
  },
)

describe('a program with one defect fails in the round that shows it, and in no other single one', () => {
  test('it appends a 200 to a partial file', async () => {
    const { wrong, round, exitCode, text } = await verified(
      node('appends-a-200'),
      one('range-ignored', 'reset'),
    )
    expect(wrong.filter(name => name !== 'together')).toEqual(['range-ignored'])
    expect(round('range-ignored')).toMatchObject({
      exitCode: 1,
      attempts: 3,
      unreadable: 'the command wrote no output',
    })
    expect(round('range-ignored').printed).toMatch(/Z_(DATA|BUF)_ERROR/)
    expect(exitCode).toBe(1)
    expect(text).toContain(
      'instead of appending it to the partial file (service-notes.md, section 5)',
    )
  })

  test('it ignores removals', async () => {
    const { wrong, differing, text } = await verified(
      node('ignores-removals'),
      one('removals', 'quotes'),
    )
    expect(wrong).toEqual(['removals', 'together'])
    expect([differing('removals'), differing('together')]).toEqual([['kept'], ['kept']])
    expect(text).toContain('remove an item whose row says UNAVAILABLE (item-feeds.md, section 2.7)')
  })

  test('it loses rows after an odd quote', async () => {
    const { wrong, differing, text } = await verified(
      node('loses-rows-after-a-quote'),
      one('quotes', 'catalog-size'),
    )
    expect(wrong).toEqual(['quotes', 'together'])
    expect(differing('quotes')).toEqual(expect.arrayContaining(['lost', 'wrongCells']))
    expect(text).toContain('(item-feeds.md, section 2.1)')
  })

  test('it trusts the size of the catalog', async () => {
    const { wrong, differing, round } = await verified(
      node('trusts-the-catalog-size'),
      one('catalog-size', 'token-expiry'),
    )
    expect(wrong).toEqual(['catalog-size', 'together'])
    expect([differing('catalog-size'), round('catalog-size').exitCode]).toEqual([['lost'], 0])
  })

  test('it forgets that a token expires', async () => {
    const { wrong, round } = await verified(
      node('forgets-the-token-expiry'),
      one('token-expiry', 'removals'),
    )
    expect(wrong).toEqual(['token-expiry', 'together'])
    expect(round('token-expiry')).toMatchObject({ exitCode: 1, attempts: 3 })
    expect(round('token-expiry').printed).toContain('cannot be had')
  })
})

describe('commands', () => {
  test('a wrong baseline ends the run, and says that no fault is to blame', async () => {
    const { report, wrong, exitCode, text } = await verified(script('process.exit(4)'), {
      attempts: 2,
    })
    expect([wrong, report.left.length, exitCode]).toEqual([['baseline'], 19, 1])
    expect(report.rounds[0]).toMatchObject({ exitCode: 4, attempts: 2 })
    expect(text).toContain('so the program itself is wrong')
  })

  test('a command that fails is started again in the same folder, and its end counts', async () => {
    const text = `
      const { existsSync, writeFileSync } = require('node:fs')
      const mark = process.env.FEEDMILL_FOLDER + '/mark'
      if (!existsSync(mark)) { writeFileSync(mark, ''); process.exit(1) }
      process.argv.push('')
      import(${JSON.stringify(join(PROGRAMS, 'right.mjs'))})`
    const { report } = await verified(script(text), one('quotes'))
    expect(report.rounds.map(({ ok, attempts }) => [ok, attempts])).toEqual([
      [true, 2],
      [true, 2],
    ])
  })

  test('the environment says where the service is and what to write; each round has an empty folder', async () => {
    const names = ['BASE_URL', 'TOKEN_URL', 'SCOPE_BASE', 'CLIENT_ID', 'CLIENT_SECRET'].concat([
      'MARKETPLACE',
      'CATEGORIES',
      'NOW',
      'FOLDER',
      'OUTPUT',
    ])
    const text = `
      const env = ${JSON.stringify(names)}.map(name => process.env['FEEDMILL_' + name])
      console.log(JSON.stringify([env, require('node:fs').readdirSync(process.env.FEEDMILL_FOLDER)]))`
    const { report } = await verified(script(text), { category: ['1', '2'] })
    const [env, files] = JSON.parse(report.rounds[0]!.printed) as [string[], string[]]
    expect(files).toEqual([])
    expect(env.slice(2, 8)).toEqual([
      'https://api.market.example/oauth',
      'feedmill-client',
      'feedmill-secret',
      'MKT_US',
      '1,2',
      '2026-03-01T14:00:00.000Z',
    ])
    expect([env[0], env[9]]).toEqual([
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      join(env[8]!, 'items.ndjson'),
    ])
    expect(report.rounds[0]!.unreadable).toBe('the command wrote no output')
    expect(readdirSync(tmpdir())).not.toContain(env[8]!.split('/').at(-2))
  })

  test.runIf(runsWith('curl'))('curl continues a file with --header-form rfc9110', async () => {
    const program = join(import.meta.dirname, '../../../bench/proof/download.sh')
    const { wrong, exitCode } = await verified(['sh', program, 'curl_resume'], {
      headerForm: 'rfc9110',
      ignore: ['gtin'],
      attempts: 1,
      ...one('reset'),
    })
    expect([wrong, exitCode]).toEqual([[], 0])
  })

  test('an output that cannot be read is a finding', async () => {
    const text = `require('node:fs').writeFileSync(process.env.FEEDMILL_OUTPUT, '{"itemId":"1"}\\n{"ite')`
    const { report, exitCode } = await verified(script(text))
    expect(report.rounds[0]!.unreadable).toMatch(/line 2 is "\{\\"ite"$/)
    expect(exitCode).toBe(1)
  })

  test.each([
    [{ output: '/tmp/items.csv' }, 'output'],
    [{ output: '../items.csv' }, 'output'],
    [{ output: 'items.parquet' }, 'output'],
    [{ rename: ['sku'] }, 'rename'],
    [{ rename: ['sku=id'] }, 'rename'],
  ] as const)('%j is refused before anything runs', async (options, option) => {
    const { error, out } = await outcomeOf(() => verify(['none'], { ...OPTIONS, ...options }))
    expect(error).toMatchObject({ code: 'OPTION_INVALID', context: { option } })
    expect(out).toEqual([])
  })
})
