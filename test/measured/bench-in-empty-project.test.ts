// `feedmill bench` in the project of a stranger: an empty folder with a repository of its own and
// the installed package. The slowdown is large and the rounds are few, so that a busy machine does
// not decide the outcome.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { packedPackage, plainInstall } from '../packed-package'
import { projectFolder } from '../project-folder'

const WORKFLOW = resolve(import.meta.dirname, '../../.github/workflows/bench.yml')
const ROWS = 10_000
/** Each round is three processes. */
const ROUNDS = 6

const BENCH = `
import { existsSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { FileSource, Gunzip, pipeline, TsvRowParser } from 'feedmill'
import { defineBench } from 'feedmill/bench'
import { cents } from './dist/cents.js'

const FEED = 'feed.tsv.gz'
let total = 0
export default defineBench({
  name: 'cents',
  prepare: () => {
    const rows = Array.from({ length: ${ROWS} }, (_, n) => 'v1|' + n + '|0\\t' + (n % 100) + '.50\\n')
    if (!existsSync(FEED)) writeFileSync(FEED, gzipSync('itemId\\tpriceValue\\n' + rows.join('')))
  },
  pipeline: () =>
    pipeline(new FileSource(FEED))
      .to(new Gunzip())
      .to(new TsvRowParser())
      .tap(row => { total += cents(row.text('priceValue')) }),
  check: ({ count }) => count === ${ROWS} && total === ${ROWS / 100} * (4950 * 100 + 100 * 50),
})
`

/** The work of the project, which the number of turns makes slower. */
const source = (turns: number, result = 'value') => `
export function cents(text) {
  let value = 0
  for (let turn = 0; turn < ${turns}; turn++) value = Math.round(Number(text) * 100 + Math.sin(turn) / 1e6)
  return ${result}
}
`
const FAST = source(20)
const SLOW = source(400)

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

interface Step {
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
}

interface Workflow {
  readonly env: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>
}

describe('feedmill bench in the project of a stranger', () => {
  let folder: string
  let plain: string
  let project: string

  const ended = (program: string, words: readonly string[], env = process.env) =>
    new Promise<Ended>(settle =>
      execFile(program, words, { cwd: project, env }, (error, stdout, stderr) =>
        settle({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
      ),
    )
  const git = (...words: string[]) =>
    ended('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...words])
  const feedmill = (...words: string[]) =>
    ended(process.execPath, [
      join(project, 'node_modules/feedmill/dist/cli.js'),
      ...['bench', 'my.bench.mjs', '--rounds', `${ROUNDS}`, '--measures', 'cpu', ...words],
    ])
  const write = (path: string, text: string) => writeFile(join(project, path), text)
  async function version(text: string): Promise<void> {
    await write('src/cents.js', text)
    expect(await ended(process.execPath, ['build.mjs'])).toMatchObject({ code: 0 })
  }

  beforeAll(async () => {
    folder = await projectFolder('measured')
    plain = await plainInstall(await packedPackage(folder))
    project = await mkdtemp(join(tmpdir(), 'feedmill-stranger-'))
    await symlink(join(plain, 'node_modules'), join(project, 'node_modules'), 'junction')
    await mkdir(join(project, 'src'))
    await write(
      'package.json',
      JSON.stringify({ type: 'module', scripts: { 'build:js': 'node build.mjs' } }),
    )
    await write('.gitignore', 'node_modules\ndist\n*.json.new\nfeed.tsv.gz\nshim\n')
    await write(
      'build.mjs',
      "import { cpSync } from 'node:fs'\ncpSync('src', 'dist', { recursive: true })\n",
    )
    await write('my.bench.mjs', BENCH)
    await version(FAST)
    await git('init', '--quiet')
    await git('add', '.')
    expect(await git('commit', '--quiet', '--message', 'fast')).toMatchObject({ code: 0 })
  }, 300_000)
  afterAll(() =>
    Promise.all([project, plain, folder].map(path => rm(path, { recursive: true, force: true }))),
  )

  const AGAINST_HEAD = ['--base', 'HEAD', '--build', 'node build.mjs']

  test('measures, with the shares of the stages, and saves a report', async () => {
    const { code, stdout } = await feedmill('--save', 'before.json.new', '--json', '-')
    expect(code).toBe(0)
    const report = JSON.parse(stdout)
    expect(report).toMatchObject({ kind: 'feedmill-bench', rounds: ROUNDS })
    const [bench] = report.benches
    expect(bench).toMatchObject({ name: 'cents', count: ROWS })
    expect(bench.stages.map(({ stage }: { stage: string }) => stage)).toEqual([
      'FileSource',
      'Gunzip',
      'TsvRowParser',
      'tap',
    ])
    expect(JSON.parse(await readFile(join(project, 'before.json.new'), 'utf8'))).toEqual(report)
  }, 120_000)

  test('equal versions pass, and nothing of the base is left', async () => {
    // Few rounds on a busy machine may find a difference by chance, and hardly twice: see the gate.
    const first = await feedmill(...AGAINST_HEAD)
    const { code, stdout, stderr } = first.code === 1 ? await feedmill(...AGAINST_HEAD) : first
    expect(stderr).not.toContain('regression')
    expect(code).toBe(0)
    expect(stdout).toMatch(/cents cpu .*%$/m)
    expect(existsSync(join(project, '.feedmill-bench/base'))).toBe(false)
    expect((await git('worktree', 'list')).stdout.trim().split('\n')).toHaveLength(1)
    expect((await git('status', '--porcelain')).stdout).toBe('')
  }, 480_000)

  test('a slower version fails against the saved report', async () => {
    await version(SLOW)
    const { code, stdout, stderr } = await feedmill('--baseline', 'before.json.new')
    expect(stderr).toMatch(/^regression: cents cpu/m)
    expect(code).toBe(1)
    expect(stdout).toContain('the state of the machine may have changed')
  }, 120_000)

  test('the steps of the workflow, run as a script, fail for the slower version, in Markdown too', async () => {
    await git('commit', '--quiet', '--all', '--message', 'slow')
    const { env, jobs } = parse(await readFile(WORKFLOW, 'utf8')) as Workflow
    const steps = Object.values(jobs).flatMap(({ steps }) => steps)
    const commands = steps.filter(({ run }) => run !== undefined)
    expect(commands.length).toBeGreaterThanOrEqual(3)
    // The package comes from a tarball and not from a registry, so `npm ci` has nothing to install.
    await mkdir(join(project, 'shim'))
    const npm = (await ended('/bin/sh', ['-c', 'command -v npm'])).stdout.trim()
    await write('shim/npm', `#!/bin/sh\n[ "$1" = ci ] || exec "${npm}" "$@"\n`)
    await chmod(join(project, 'shim/npm'), 0o755)
    await write('package-lock.json', '{}')
    const runner = {
      ...process.env,
      ...env,
      FEEDMILL: 'npx --offline feedmill',
      BENCH_FILES: 'my.bench.mjs',
      BENCH_STATED: 'shim/stated',
      BENCH_OPTIONS: `--rounds ${ROUNDS} --measures cpu`,
      GITHUB_STEP_SUMMARY: join(project, 'shim/summary.md'),
      PATH: `${join(project, 'shim')}${delimiter}${process.env.PATH}`,
    }
    const [fast, slow] = ['HEAD~1', 'HEAD'].map(ref => git('rev-parse', ref))
    await write('shim/stated', (await fast!).stdout)
    const codes: number[] = []
    for (const { run, env: own } of commands) {
      const stepEnv = { ...runner, ...own, BENCH_BASE: 'HEAD~1' }
      const { code, stderr } = await ended('/bin/bash', ['-e', '-c', run!], stepEnv)
      codes.push(code)
      if (code !== 0) expect(stderr).toMatch(/^regression: cents cpu/m)
    }
    expect(codes).toEqual([...commands.slice(1).map(() => 0), 1])
    const summary = await readFile(join(project, 'shim/summary.md'), 'utf8')
    expect(summary).toMatch(/^### Benchmarks: \*\*worse\*\*/)
    expect(summary).toMatch(/^\| cents cpu since [0-9a-f]{40} \(.* WORSE \|$/m)
    const [, ...lines] = (await readFile(join(project, 'bench-history.csv'), 'utf8')).split('\n')
    expect(lines).toEqual([expect.stringContaining(`,${(await slow!).stdout.trim()},cents,`), ''])
  }, 240_000)

  test.each([
    ['a commit that is not there', ['--base', 'nowhere'], /OPTION_INVALID: base must be a commit/],
    ['a build without a base', ['--build', 'x'], /OPTION_INVALID: build must be used with base/],
    ['too few rounds', ['--base', 'HEAD', '--rounds', '5'], /OPTION_INVALID: rounds must be/],
    ['a build that fails', ['--base', 'HEAD', '--build', 'exit 3'], /BENCH_FAILED: .*exit 3/],
    ['an unknown benchmark', ['--only', 'dollars'], /OPTION_INVALID: only must be/],
    ['a base and a baseline', ['--base', 'HEAD', '--baseline', 'x'], /cannot be used with/],
  ])(
    '%s is exit code 2',
    async (_, words, message) => {
      const { code, stdout, stderr } = await feedmill(...words)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(message)
    },
    60_000,
  )

  test('a wrong result is exit code 2, and never a regression', async () => {
    await version(source(20, 'value + 1'))
    const { code, stdout, stderr } = await feedmill(...AGAINST_HEAD)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('feedmill: BENCH_RESULT_WRONG: the result of cents is wrong')
  }, 60_000)
})
