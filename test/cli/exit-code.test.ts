import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { bugs } from '../../package.json'
import { exitCodeOf, failureLines } from '../../src/cli/exit-code'
import { program } from '../../src/cli/program'
import { FeedError } from '../../src/engine/errors'
import { writing } from './served'

const printed: string[] = []
beforeEach(() => {
  printed.length = 0
  vi.spyOn(console, 'error').mockImplementation(text => void printed.push(`${text}\n`))
  vi.spyOn(process.stdout, 'write').mockImplementation(writing(() => {}))
})
afterEach(() => vi.restoreAllMocks())

/** The exit code of the command line, and the lines that it prints on standard error. */
async function outcome(...words: string[]): Promise<[number, string[]]> {
  const argv = ['node', 'cli.js', ...words]
  const error = await program(argv)
    .parseAsync(argv)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
  return [
    exitCodeOf(error),
    [...printed.join('').trimEnd().split('\n'), ...failureLines(error)].filter(line => line !== ''),
  ]
}

const sync = ['sync', '--marketplace', 'MKT_US', '--category', '220', '--state', 'dir']

test.each([
  [['unknown']],
  [['--unknown']],
  [['sync']],
  [['sync', '--marketplace']],
  [[...sync, '--memory', 'much']],
  [[...sync, '--until', 'tomorrow']],
  [[...sync, '--profile', '/nowhere/profile.json']],
  [['status']],
  [['status', 'a', 'b']],
  [['export', '--state', 'dir', '--format', 'xml']],
  [['serve', '--faults', '2']],
  [['serve', '--items', '-1']],
  [['catalog', 'unknown']],
  [['catalog', 'files']],
  [['catalog', 'files', '--marketplace', 'MKT_US', '--limit', '0']],
  [['catalog', 'download', '--marketplace', 'MKT_US']],
  [['keys', 'get']],
  [['subscriptions', 'create', '--topic', 'a']],
  [['completion', 'tcsh']],
  [['demo', '--items', '-1']],
  [['bench', '--file', 'a', '--rounds', '0']],
  [['bench', '--file', 'a', '--read', 'many']],
  [['bench', '--file', 'a', '--base', 'main']],
])('wrong usage, %j, gives exit code 2 and one line', async words => {
  const [code, lines] = await outcome(...words)
  expect([code, lines.length]).toEqual([2, 1])
})

test.each([[['--help']], [['--version']], [['sync', '--help']], [['bench', '--help']]])(
  '%j is no failure',
  async words => {
    expect(await outcome(...words)).toEqual([0, []])
  },
)

test('a call without a command is wrong usage, and the help is printed', async () => {
  const [code, lines] = await outcome()
  expect(code).toBe(2)
  expect(lines.join('\n')).toMatch(/^Usage: feedmill[\s\S]*Exit codes:/)
})

test('a failure prints one typed line, and a defect prints its stack', () => {
  const failure = new FeedError('GZIP_EMPTY', 'no member', { byteOffset: 0 })
  expect([exitCodeOf(failure), failureLines(failure)]).toEqual([
    1,
    ['feedmill: GZIP_EMPTY: no member (byte 0)'],
  ])
  expect(JSON.parse(failureLines(failure, true)[0]!)).toEqual({
    error: { code: 'GZIP_EMPTY', message: 'no member', context: { byteOffset: 0 } },
  })
  const defect = new TypeError('not a function')
  expect(exitCodeOf(defect)).toBe(1)
  expect(failureLines(defect).join('\n')).toContain('exit-code.test')
  expect(failureLines(defect)[0]).toContain(`report it at ${bugs.url}`)
})
