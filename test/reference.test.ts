// The generator of the reference finds what the sources lack. A copy of the sources gets one flaw of
// each kind, and the messages name the place of each.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
/** Inside of the repository, so that the compiler finds the packages. */
const COPY = join(ROOT, '.tmp/reference-flaws')

/** The text of a source that is replaced, and the message for it. */
const FLAWS: readonly (readonly [path: string, from: string, to: string, message: RegExp])[] = [
  [
    'engine/pipeline/map-async.ts',
    '   * Default: true.\n',
    '',
    /map-async\.ts:\d+: MapAsyncOptions\.ordered states no default/,
  ],
  [
    'engine/pipeline/map-async.ts',
    'Default: 8.',
    'Default: 9.',
    /MapAsyncOptions\.concurrency states the default 9, and src\/engine\/pipeline\/map-async\.ts has 8/,
  ],
  [
    'service/http/request-settings.ts',
    'Default no limit. Bounds: more\n   * than 0, at least one request a day.',
    'Default no limit.',
    /RequestOptions\.requestsPerSecond is a number without bounds that can be read/,
  ],
  [
    'engine/errors.ts',
    '   * @remedy Install the package that `package` names.\n',
    '',
    /errors\.ts:\d+: DEPENDENCY_MISSING has no remedy/,
  ],
  [
    'sync/run/sync-events.ts',
    '  /** The whole file is fetched, and the run begins to read and merge its rows. */\n',
    '',
    /sync-events\.ts:\d+: the event "applying" needs a comment/,
  ],
]

afterAll(() => rmSync(COPY, { recursive: true, force: true }))

test('each flaw of the sources is reported with its place, and nothing else is', () => {
  rmSync(COPY, { recursive: true, force: true })
  mkdirSync(COPY, { recursive: true })
  cpSync(join(ROOT, 'src'), join(COPY, 'src'), { recursive: true })
  for (const name of ['tsconfig.json', 'package.json']) cpSync(join(ROOT, name), join(COPY, name))
  for (const [path, from, to] of FLAWS) {
    const file = join(COPY, 'src', path)
    const text = readFileSync(file, 'utf8')
    expect(text).toContain(from)
    writeFileSync(file, text.replace(from, to))
  }
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'test/from-sources.mjs'), 'reference', '--root', COPY],
    { encoding: 'utf8' },
  )
  for (const [, , , message] of FLAWS) expect(stderr).toMatch(message)
  expect(stderr.trim().split('\n')).toHaveLength(FLAWS.length)
  expect(status).toBe(1)
})
