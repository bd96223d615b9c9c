// The table of the proof: the page shows the kept results, each WRONG cell has its reason, and a round
// is judged by how the command ended.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withSection } from '../../bench/peers-section'
import { ALTERNATIVES } from '../../bench/proof/alternatives'
import { PROOF_SECTION, type Proof, verdictOf } from '../../bench/proof/proof-text'
import { VERIFY_FAULTS } from '../../src/cli/verify/fault-rounds'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

test('a round is right, stuck, an error, or wrong', () => {
  const end = { name: 'reset', ok: false, exitCode: 0, timedOut: false }
  expect(verdictOf({ ...end, ok: true })).toBe('right')
  expect(verdictOf({ ...end, exitCode: null, timedOut: true })).toBe('stuck')
  expect(verdictOf({ ...end, exitCode: 22 })).toBe('error')
  expect(verdictOf(end)).toBe('WRONG')
})

test('a cell has the worst verdict, and says in how many worlds', () => {
  const proof: Proof = {
    date: '2026-01-02T03:04:05Z',
    versions: ['curl 8.1'],
    left: ['wget, because Wget is not installed'],
    faults: ['500', 'short', 'html'],
    proven: [
      {
        title: 'curl',
        verdicts: {
          '500': ['error'],
          short: ['right', 'error'],
          html: ['error', 'WRONG', 'right'],
        },
      },
    ],
  }
  expect(PROOF_SECTION.textOf(proof).split('\n')).toEqual([
    '`npm run bench:proof` made this table on 2026-01-02 with curl 8.1.',
    'Not in the table: wget, because Wget is not installed.',
    '',
    '| fault | curl |',
    '|---|---|',
    '| `500` | error |',
    '| `short` | error 1 of 2 |',
    '| `html` | **WRONG** 1 of 3 |',
    '',
    'Why a cell is WRONG:',
    '',
    '- **curl**, `html`: not explained yet.',
  ])
})

test('the page shows the kept results, and every WRONG cell has its reason', () => {
  const results: Proof = JSON.parse(read('bench/proof/results.json'))
  const page = read(PROOF_SECTION.path)
  expect(withSection(page, PROOF_SECTION, results)).toBe(page)
  expect(page).not.toContain('not explained yet')
  expect(results.faults.length).toBeGreaterThanOrEqual(12)
  const ours = results.proven.find(({ title }) => title === 'feedmill')!
  expect(new Set(Object.values(ours.verdicts).flat())).toEqual(new Set(['right']))
})

test('each reason names a fault, and each script is there', () => {
  const names = [...VERIFY_FAULTS.map(({ name }) => name), 'together']
  for (const { command, wrong = {} } of ALTERNATIVES) {
    for (const fault of Object.keys(wrong)) expect(names).toContain(fault)
    const script = command.find(word => word.startsWith('bench/proof/'))
    if (script !== undefined) expect(existsSync(join(ROOT, script))).toBe(true)
  }
})
