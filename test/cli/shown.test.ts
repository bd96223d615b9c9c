// Walks all commands, as the program has them, with planted secrets, and with texts that a terminal
// would obey. Nothing of them may be shown: not by the parser, not by a command, not on a channel.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect as shownBy } from 'node:util'
import type { Argument, Option } from 'commander'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { Command } from '../../src/cli/command-options'
import { program, run } from '../../src/cli/program'
import { inspect } from '../../src/inspect'
import { postgresTarget } from '../../src/integrations/postgres'
import { queueStatus } from '../../src/integrations/queue'
import { targetStatus } from '../../src/sync'
import { Recorded } from '../engine/diagnostics/recorded'
import { credentialsFile, outcomeOf } from './served'

const SECRET = 'pw-S3cr3t-4711'
/** ESC, BEL, C1, a mark of direction, and line ends that would begin a line of feedmill's own. */
const ACTIVE = '\u001b]0;x\u0007\u001b[2J\u009b31m\u202e\r\nfeedmill: all is well\u2028'

interface Leaf {
  readonly name: string
  readonly words: readonly string[]
  readonly command: Command
}

function leavesOf(command: Command, words: readonly string[] = []): Leaf[] {
  if (command.commands.length === 0) return [{ name: words.join(' '), words, command }]
  return command.commands.flatMap(inner => leavesOf(inner as Command, [...words, inner.name()]))
}

const leaves = leavesOf(program(['node', 'cli.js']))

/** What a command needs besides the words that are tried. */
const NEEDED: Readonly<Record<string, string>> = {
  '--to': 'x.duckdb',
  '--queue': 'redis://h',
  '--marketplace': 'MKT_US',
  '--category': '220',
}

function neededWords(command: Command, tried?: Option | Argument): string[] {
  const options = command.options.filter(option => option.mandatory && option !== tried)
  const places = command.registeredArguments.filter(
    argument => argument.required && argument !== tried,
  )
  return [
    ...options.flatMap(({ long }) => [long!, NEEDED[long!] ?? 'x']),
    ...places.map(({ argChoices }) => argChoices?.[0] ?? 'x'),
  ]
}

/** What a call shows, where the commands themselves do nothing. */
async function parsed(words: readonly string[]): Promise<{ text: string; code: unknown }> {
  const argv = ['node', 'cli.js', ...words]
  const feedmill = program(argv)
  for (const { command } of leavesOf(feedmill)) command.action(() => {})
  const { out, err, exitCode } = await outcomeOf(() => run(argv, feedmill))
  return { text: [...out, ...err].join('\n'), code: exitCode }
}

test('fault 114: the walk has the commands of the program', () => {
  expect(leaves.length).toBeGreaterThan(15)
  expect(leaves.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['sync', 'status', 'worker', 'catalog files', 'verify']),
  )
})

test.each(leaves)('fault 114: no message of the parser has a value: $name', async leaf => {
  const { words, command } = leaf
  // It has what commander writes after a value, so that only the last of these ends it.
  const value = `it's ${SECRET}' is invalid\n${SECRET}`
  const calls = [
    ...command.options
      .filter(({ required, optional }) => required || optional)
      .flatMap(option => [
        [...neededWords(command, option), option.long!, value],
        [...neededWords(command, option), `${option.long}=${value}`],
      ]),
    ...command.registeredArguments.map(argument => [...neededWords(command, argument), value]),
    [...neededWords(command), `--unknown=${value}`],
    [...neededWords(command), `--${value}`],
    [...neededWords(command), `-p${value}`],
    [...neededWords(command), value, value, value],
  ]
  for (const call of calls)
    expect((await parsed([...words, ...call])).text, call.join(' ')).not.toContain('S3cr3t')
})

test('fault 114: an unknown command and option are named without what may be a value', async () => {
  expect((await parsed([SECRET])).text).toBe('error: unknown command')
  expect((await parsed(['catalog', SECRET])).text).toBe('error: unknown command')
  expect((await parsed(['serve', `--secret=${SECRET}`])).text).toBe(
    "error: unknown option '--secret'",
  )
  expect((await parsed(['serve', '--port', SECRET])).text).toBe(
    "error: option '--port <number>' argument is invalid. not a whole number",
  )
  expect((await parsed(['completion', SECRET])).text).toBe(
    "error: command-argument value is invalid for argument 'shell'. Allowed choices are bash, zsh, fish.",
  )
  expect((await parsed(['keys', 'get'])).text).toBe("error: missing required argument 'key'")
})

const ADDRESSES = [
  `postgres://u:${SECRET}@h/d`,
  `postgres://u@h/d?password=${SECRET}`,
  `postgresql:u:${SECRET}@h`,
  `postgres://u:${SECRET}@h:port/d`,
  `redis://:${SECRET}@h`,
  `mysql://u:${SECRET}@h/d`,
  `https://u:${SECRET}@h/x`,
]

test.each(leaves)('fault 114: an address with a password is refused: $name', async leaf => {
  const { words, command } = leaf
  for (const address of ADDRESSES) {
    const calls = [
      ...command.options
        .filter(({ required }) => required)
        .map(option => [...neededWords(command, option), option.long!, address]),
      ...command.registeredArguments.map(argument => [...neededWords(command, argument), address]),
    ]
    for (const call of calls) {
      const { text, code } = await parsed([...words, ...call])
      expect([code, text.includes('S3cr3t')], call.join(' ')).toEqual([2, false])
    }
  }
})

test.each([
  [['status', '--to', ADDRESSES[0]!], '--to must be an address without a password: set PGPASSWORD'],
  [['status', `--to=${ADDRESSES[1]}`], '--to must be an address without a password: set PGPASS'],
  [['status', '--queue', ADDRESSES[4]!], '--queue must be .* set FEEDMILL_QUEUE_PASSWORD'],
  [['inspect', ADDRESSES[6]!], 'the argument must be .* environment'],
])('fault 114: the refusal of %j says where the password belongs', async (words, message) => {
  expect((await parsed(words)).text).toMatch(new RegExp(`OPTION_INVALID: ${message}`))
  expect(JSON.parse((await parsed([...words, '--json'])).text).error.code).toBe('OPTION_INVALID')
})

test('addresses without a password, and the words of the program of verify, are accepted', async () => {
  for (const words of [
    ['status', '--to', 'postgres://u@h/d?schema=a@b'],
    ['inspect', 'http://h:8080/@scope/x?user=a@b:c&sig=1'],
    ['verify', '--', 'ingest', ADDRESSES[0]!],
  ])
    expect(await parsed(words), words.join(' ')).toEqual({ text: '', code: undefined })
})

/** A service that grants a token, and answers everything else with all it was told and more. */
function hostileServer(): Server {
  return createServer((request, response) => {
    const isToken = request.method === 'POST' && request.url?.startsWith('/token')
    const told = `${ACTIVE} ${request.headers.authorization} ${request.url}`
    const error = {
      errorId: 13022,
      domain: ACTIVE,
      category: 'REQUEST',
      message: told,
      longMessage: told,
    }
    const body = isToken
      ? { access_token: `${SECRET}-token`, token_type: 'Bearer', expires_in: 7200 }
      : { errors: [{ ...error, parameters: [{ name: ACTIVE, value: told }] }] }
    response.writeHead(isToken ? 200 : 400, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
}

let folder: string
let server: Server
let origin: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'feedmill-shown-'))
  server = hostileServer()
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => void vi.restoreAllMocks())
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Everything of a call that a person may see is inert. A line of the service begins no line. */
function expectInert(lines: readonly string[]): void {
  const text = lines.join('\n')
  expect(text).not.toContain('S3cr3t')
  for (const character of '\u001b\u0007\u009b\u202e\r\u2028') expect(text).not.toContain(character)
  expect(lines).not.toContain('feedmill: all is well')
}

/** The commands that ask the service, and need no queue, which has its own tests. */
const asking = leaves.filter(
  ({ command }) =>
    command.options.some(({ long }) => long === '--base-url') &&
    !command.options.some(({ long, mandatory }) => long === '--queue' && mandatory),
)

test.each(asking)(
  'fault 115: what a hostile service says is inert and without secrets: $name',
  async ({ words, command }) => {
    using told = new Recorded()
    const bar: string[] = []
    vi.spyOn(process.stderr, 'write').mockImplementation(text => bar.push(`${text}`) > 0)
    const service = {
      '--base-url': `${origin}`,
      '--token-url': `${origin}/token`,
      '--scope-base': 'https://scope.test/oauth',
      '--credentials': credentialsFile(folder, {
        clientId: 'client',
        clientSecret: `${SECRET}-client`,
      }),
    }
    const place = command.options.some(({ long }) => long === '--state')
      ? ['--state', join(folder, 'state')]
      : []
    // They are needed where `--source` is not there.
    const ofService = words[0] === 'sync' ? ['--marketplace', 'MKT_US', '--category', '220'] : []
    for (const json of [[], ['--json']]) {
      const argv = ['node', 'cli.js', ...words, ...neededWords(command), ...place, ...ofService]
      const all = [...argv, ...Object.entries(service).flat(), ...json]
      const before = told.of('feedmill:retry').length
      // `sync` repeats requests for long, so that the first repetition is enough.
      const stop = setInterval(() => {
        if (told.of('feedmill:retry').length > before) process.emit('SIGTERM')
      }, 10)
      const { out, err, exitCode } = await outcomeOf(() => run(all)).finally(() =>
        clearInterval(stop),
      )
      expect([1, 143]).toContain(exitCode)
      const lines = [...out, ...err, ...bar.join('').split('\n')]
      expect(lines.join('\n')).toContain('�[2J�31m�⏎feedmill: all is well')
      expectInert(lines)
    }
    expect(told.of('feedmill:request').length).toBeGreaterThan(0)
    expect(shownBy(told.all, { depth: 20, showHidden: true })).not.toContain('S3cr3t')
  },
)

test('fault 115: what a file says is inert: headings, cells, its name, an earlier report', async () => {
  const path = join(folder, `${ACTIVE.replaceAll(/[/\r\n]/g, '')}<script>.tsv`)
  const cell = `<script>${ACTIVE.replaceAll(/[\t\r\n]/g, '')}`
  const rows = [`itemId\tpriceValue\t${cell}`, `${cell}\t${cell}\t${cell}`, cell, `b\t1\t${cell}`]
  writeFileSync(path, `${rows.join('\n')}\n`)
  const call = (...words: string[]) =>
    outcomeOf(() => run(['node', 'cli.js', 'inspect', path, ...words]))
  const page = join(folder, 'page.html')
  const asJson = await call('--json')
  expect(JSON.parse(asJson.out[0]!).header.columns[2]).toBe(cell)
  const earlier = join(folder, 'earlier.json')
  writeFileSync(earlier, asJson.out[0]!.replaceAll('priceValue', 'priceValue\\u001b[2J'))
  const compared = await call('--html', page, '--against', earlier)
  for (const { out, err } of [asJson, compared, await call('--schema', path)])
    expectInert([...out, ...err])
  expect(compared.out.length).toBeGreaterThan(20)
})

const show = (value: unknown) =>
  shownBy(value, { depth: 20, showHidden: true, getters: true, maxStringLength: null }) +
  JSON.stringify(value)

test('fault 114: no report or error of an address has a value of its parameters', async () => {
  using told = new Recorded()
  const file = createServer((request, response) => {
    response.writeHead(request.url!.startsWith('/missing') ? 403 : 200)
    response.end(request.url!.startsWith('/missing') ? `no ${SECRET}` : 'itemId\ttitle\n1\tx\n')
  })
  await new Promise<void>(resolve => void file.listen(0, '127.0.0.1', resolve))
  try {
    const at = `http://127.0.0.1:${(file.address() as AddressInfo).port}`
    for (const name of ['sig', 'Policy', 'jwt', 'pass', 'hdnts=exp~hmac', '']) {
      const query = name === '' ? SECRET : `${name}=${SECRET}`
      expect(show(await inspect(`${at}/f.tsv?${query}#${SECRET}`))).not.toContain('S3cr3t')
      const missing = await inspect(`${at}/missing?${query}`).catch((error: unknown) => error)
      expect(show({ ...(missing as Error), body: undefined })).toContain('/missing?')
      expect(String(missing)).not.toContain('S3cr3t')
    }
    expect(show(told.all)).not.toContain('S3cr3t')
  } finally {
    file.close()
  }
})

test('fault 114: no error of a database or a queue has its password', async () => {
  const limits = { retry: { patienceMs: 50 } }
  const failures = await Promise.all(
    [
      () =>
        targetStatus(
          postgresTarget(`postgres://u:${SECRET}@127.0.0.1:1/d?password=${SECRET}`, limits),
        ),
      async () => postgresTarget(`postgresql:u:${SECRET}@x`),
      async () => postgresTarget(`postgres://u:12/${SECRET}@x`),
      () => queueStatus({ url: `redis://:${SECRET}@127.0.0.1:1`, timeoutMs: 50 }),
      () => queueStatus({ url: `redis:${SECRET}` }),
      () => queueStatus({ url: 'redis://127.0.0.1:1', password: SECRET, timeoutMs: 50 }),
    ].map(call => call().catch((error: unknown) => error)),
  )
  expect(failures.map(error => (error as { code?: string }).code)).toEqual([
    'STATE_IO',
    'OPTION_INVALID',
    'OPTION_INVALID',
    'QUEUE_FAILED',
    'OPTION_INVALID',
    'QUEUE_FAILED',
  ])
  for (const failure of failures) expect(show(failure)).not.toContain('S3cr3t')
})
