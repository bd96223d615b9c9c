// The workflow that others copy: the guide shows the file that this repository uses.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { addBenchCommand } from '../../src/cli/bench/bench-command'
import { Command } from '../../src/cli/command-options'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
interface Step {
  readonly if?: string
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, string>>
}

const workflow = read('.github/workflows/bench.yml')

test('the guide has the text of the workflow', () => {
  expect(read('src/guide/benchmarks.md')).toContain(`\`\`\`yaml\n${workflow}\`\`\``)
})

const { on, env, jobs } = parse(workflow) as {
  readonly on: object
  readonly env: Readonly<Record<string, string>>
  readonly jobs: { readonly compare: { readonly steps: readonly Step[] } }
}
const { steps } = jobs.compare
const compare = steps.find(({ run }) => run?.startsWith('$FEEDMILL bench '))!.run!

test('the workflow fetches the commits, compares with both bases, and writes the summary', () => {
  expect(Object.keys(on)).toEqual(['pull_request', 'push', 'workflow_dispatch'])
  expect(steps[0]!.with).toMatchObject({ 'fetch-depth': 0 })
  expect(compare).toMatch(/ --base "\$BENCH_BASE" --against "\$\(cat "\$BENCH_STATED"\)" --build /)
  expect(compare).toMatch(/ --format markdown >> "\$GITHUB_STEP_SUMMARY"$/)
  expect(read(env.BENCH_STATED!)).toMatch(/^[0-9a-f]{40}\n$/)
})

test('the history is fetched before the runs, and kept where these find a regression too', () => {
  const [, path] = / --append (\S+) /.exec(compare)!
  const caches = steps.filter(({ uses }) => uses?.startsWith('actions/cache/'))
  expect(caches.map(({ uses }) => uses!.split('@')[0])).toEqual([
    'actions/cache/restore',
    'actions/cache/save',
  ])
  const [restored, kept] = caches
  expect([restored!.with!.path, kept!.with!.path]).toEqual([path, path])
  expect(restored!.with!.key).toBe(kept!.with!.key)
  expect(kept!.with!.key!.startsWith(restored!.with!['restore-keys']!)).toBe(true)
  expect(kept!.if).toContain('!cancelled()')
  const at = steps.findIndex(({ run }) => run === compare)
  expect([steps.indexOf(restored!) < at, at < steps.indexOf(kept!)]).toEqual([true, true])
})

test('the command has every option that the workflow and the guides give it', () => {
  const program = new Command()
  addBenchCommand(program)
  const known = program.commands[0]!.options.map(({ long }) => long)
  const guides = ['src/guide/benchmarks.md', 'src/guide/ci.md'].map(read).join('\n')
  const calls = [`${compare} ${env.BENCH_OPTIONS}`, ...guides.match(/^npx feedmill bench .*$/gm)!]
  expect(calls.length).toBeGreaterThan(8)
  const given = calls.flatMap(call => call.replace(/'[^']*'/g, '').match(/(?<= )--[a-z]+/g) ?? [])
  expect(given.filter(option => !known.includes(option))).toEqual([])
})

test.each(['release-commit', 'base-commit'])('%s is a full hash', name => {
  expect(read(`bench/${name}`)).toMatch(/^[0-9a-f]{40}\n$/)
})
