import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { program } from '../../src/cli/program'

const called = vi.hoisted(() => ({ sync: vi.fn(), status: vi.fn(), export: vi.fn() }))
vi.mock('../../src/cli/sync/sync', () => ({ syncCommand: called.sync }))
vi.mock('../../src/cli/sync/status', () => ({ statusCommand: called.status }))
vi.mock('../../src/cli/sync/export', () => ({ exportCommand: called.export }))

beforeEach(() => vi.clearAllMocks())
afterEach(() => vi.unstubAllEnvs())

/**
 * Returns the options of the call, or the message of commander where the call was refused.
 */
async function parsed(...words: string[]): Promise<Record<string, unknown> | string> {
  const argv = ['node', 'cli.js', ...words]
  const feedmill = program(argv)
  let text = ''
  for (const command of [feedmill, ...feedmill.commands]) {
    command.exitOverride().configureOutput({
      writeErr: line => void (text += line),
      writeOut: line => void (text += line),
    })
  }
  await feedmill.parseAsync(argv).catch(() => {})
  const [call] = [
    ...called.sync.mock.calls,
    ...called.status.mock.calls,
    ...called.export.mock.calls,
  ]
  return call === undefined
    ? text
    : typeof call[0] === 'string'
      ? { folder: call[0], ...call[1] }
      : call[0]
}

const sync = ['sync', '--marketplace', 'MKT_US', '--category', '220', '--state', 'dir']

describe('feedmill sync', () => {
  test('has required options and defaults for the others', async () => {
    expect(await parsed(...sync)).toEqual({
      marketplace: 'MKT_US',
      category: ['220'],
      state: 'dir',
      follow: false,
      memory: 268_435_456,
      keepFiles: 0,
      keepChanges: 2 ** 30,
      maxRemovedShare: 0.5,
      changesFormat: 'plain',
      quarantine: false,
      json: false,
    })
  })

  test('accepts every option', async () => {
    const words = [
      '--category',
      '267',
      '--until',
      '2026-03-01T12:00:00Z',
      '--follow',
      '--memory',
      '1GB',
      '--keep-files',
      '5GiB',
      '--keep-changes',
      '2GiB',
      '--max-removed-share',
      '0.9',
      '--changes',
      'c',
      '--changes-format',
      'debezium',
      '--quarantine',
      '--json',
    ]
    expect(await parsed(...sync, ...words)).toMatchObject({
      category: ['220', '267'],
      until: new Date('2026-03-01T12:00:00Z'),
      follow: true,
      memory: 1_000_000_000,
      keepFiles: 5 * 2 ** 30,
      keepChanges: 2 ** 31,
      maxRemovedShare: 0.9,
      changes: 'c',
      changesFormat: 'debezium',
      quarantine: true,
      json: true,
    })
  })

  test('records no changes without --changes, and in the folder where it names no file', async () => {
    expect(await parsed(...sync)).not.toHaveProperty('changes')
    vi.clearAllMocks()
    expect(await parsed(...sync, '--changes', '--json')).toMatchObject({
      changes: true,
      json: true,
    })
  })

  test('accepts --until now', async () => {
    expect(await parsed(...sync, '--until', 'now')).toMatchObject({ until: 'now', follow: false })
  })

  test('takes the service from options or from the environment', async () => {
    vi.stubEnv('FEEDMILL_BASE_URL', 'https://env.example')
    vi.stubEnv('FEEDMILL_CLIENT_SECRET', 'env-secret')
    vi.stubEnv('FEEDMILL_CREDENTIALS', 'env.json')
    const options = await parsed(...sync, '--base-url', 'https://option.example', '--sandbox')
    expect(options).toMatchObject({
      baseUrl: 'https://option.example',
      credentials: 'env.json',
      sandbox: true,
    })
    expect(JSON.stringify(options)).not.toContain('env-secret')
  })

  test.each(['--client-id', '--client-secret'])(
    'no credential is an argument: %s',
    async option => {
      expect(await parsed(...sync, option, 'value-4711')).toContain(`unknown option '${option}'`)
      expect(called.sync).not.toHaveBeenCalled()
    },
  )

  test.each([
    [['--memory', 'much'], 'not a size such as 256MB'],
    [['--until', 'tomorrow'], 'not a time'],
    [['--until', '2026-03-01'], 'not a time'],
    [
      ['--until', '2026-03-01T06:00:00'],
      'not a time with its zone that exists, e.g. 2026-03-01T12:00:00Z',
    ],
    [['--until', '2026-02-29T06:00:00Z'], 'not a time with its zone that exists'],
    [['--until', '2026-03-01T24:00:00Z'], 'not a time with its zone that exists'],
    [['--now', '2026-13-01T06:00:00Z'], 'not a time with its zone that exists'],
  ])('refuses %j', async (words, message) => {
    expect(await parsed(...sync, ...words)).toContain(message)
    expect(called.sync).not.toHaveBeenCalled()
  })

  test.each(['--marketplace', '--category'])('refuses a call without %s', async option => {
    const at = sync.indexOf(option)
    expect(await parsed(...sync.filter((_, n) => n !== at && n !== at + 1))).toContain(
      `required option '${option}`,
    )
  })

  test('takes a database in place of a state folder, and one of both', async () => {
    const call = sync.slice(0, -2)
    expect(await parsed(...call, '--to', 'items.duckdb')).toMatchObject({ to: 'items.duckdb' })
    vi.clearAllMocks()
    expect(await parsed(...call, '--to', 'duckdb:items')).toMatchObject({ to: 'duckdb:items' })
    vi.clearAllMocks()
    expect(await parsed(...call)).toContain('either a state folder or --to')
    expect(await parsed(...call, '--to', 'items.txt')).toContain('FILE.duckdb')
    for (const other of [
      ['--state', 'dir'],
      ['--keep-files', '1GB'],
      ['--changes', 'file'],
      ['--keep-changes', '1GB'],
    ])
      expect(await parsed(...call, '--to', 'items.duckdb', ...other)).toContain('cannot be used')
    expect(called.sync).not.toHaveBeenCalled()
  })

  test('shows no secret of the environment in its help or in an error', async () => {
    vi.stubEnv('FEEDMILL_CLIENT_SECRET', 'env-secret')
    for (const words of [['--help'], ['--memory', 'x'], ['--what']])
      expect(await parsed(...sync, ...words)).not.toContain('env-secret')
  })
})

test('the help marks required options, and wraps the exit codes', async () => {
  expect(await parsed('export', '--help')).toMatch(/--state <dir> .*\(required\)/)
  const codes = String(await parsed('--help')).split('Exit codes:')[1]!
  expect(Math.max(...codes.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
})

test('feedmill status takes its options', async () => {
  expect(await parsed('status', 'dir', '--now', '2026-03-01T12:00:00Z')).toEqual({
    folder: 'dir',
    json: false,
    now: new Date('2026-03-01T12:00:00Z'),
  })
  vi.clearAllMocks()
  expect(await parsed('status')).toContain('either a state folder or --to')
  expect(await parsed('status', './s', '--queue', 'redis://127.0.0.1')).toContain('either --queue')
})

test('feedmill export takes its options', async () => {
  expect(await parsed('export', '--state', 'dir')).toEqual({
    state: 'dir',
    category: [],
    format: 'ndjson',
  })
  vi.clearAllMocks()
  expect(await parsed('export', '--state', 'dir', '--json')).toMatchObject({ format: 'ndjson' })
  vi.clearAllMocks()
  expect(await parsed('export', '--state', 'dir', '--json', '--format', 'csv')).toContain(
    'cannot be used with',
  )
  vi.clearAllMocks()
  const words = [
    '--category',
    '1',
    '--category',
    '2',
    '--as-of',
    '2026-03-01T12:00:00Z',
    '--out',
    'f',
    '--format',
    'csv',
  ]
  expect(await parsed('export', '--state', 'dir', ...words)).toEqual({
    state: 'dir',
    category: ['1', '2'],
    asOf: new Date('2026-03-01T12:00:00Z'),
    out: 'f',
    format: 'csv',
  })
  vi.clearAllMocks()
  expect(await parsed('export', '--state', 'dir', '--format', 'xml')).toContain(
    'Allowed choices are ndjson, csv',
  )
})
