// The file of `feedmill bench --append`. Long: it builds a script and starts processes.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { HISTORY_HEADER, historyLines } from '../../../src/bench/formats/history-lines'
import { appendToHistory, readHistory } from '../../../src/cli/bench/history'
import { measuredOnly } from '../../bench/made-bench-report'
import { builtScripts } from '../../built-scripts'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-history-'))
  path = join(folder, 'history.csv')
  return () => rm(folder, { recursive: true })
})

test('the header stands once, and earlier lines stay as they were', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ minLength: 1 }), { maxLength: 5 }), async names => {
      await rm(path, { force: true })
      let expected = HISTORY_HEADER
      for (const name of names) {
        await appendToHistory(path, measuredOnly(name))
        expected += historyLines(measuredOnly(name))
        expect(await readFile(path, 'utf8')).toBe(expected)
      }
      expect(await readHistory(path)).toBe(expected)
    }),
    { numRuns: 20 },
  )
})

describe('another file is refused, and stays as it was', () => {
  test.each([
    ['nothing', '', /its first line is another one/],
    ['a table of somebody else', 'date,commit\n1,2\n', /its first line is another one/],
    ['a history with one column more', HISTORY_HEADER.replace('\n', ',more\n'), /first line/],
    ['a header without an end', HISTORY_HEADER.trimEnd(), /its first line is another one/],
    ['a line without an end', `${HISTORY_HEADER}2030,a`, /its last line has no end/],
    ['bytes', Buffer.concat([Buffer.from(HISTORY_HEADER), Buffer.from([0xff, 10])]), /not UTF-8/],
    ['too many bytes', HISTORY_HEADER.padEnd(17 * 1024 * 1024, '\n'), /more than 16777216 bytes/],
  ])('%s', async (_, content, message) => {
    await writeFile(path, content)
    await expect(appendToHistory(path, measuredOnly())).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(message),
      context: { option: '--append', received: path },
    })
    expect((await readFile(path)).equals(Buffer.from(content))).toBe(true)
  })

  test('a folder, and a path through a file', async () => {
    await mkdir(path)
    await writeFile(join(folder, 'file'), '')
    for (const wrong of [path, join(folder, 'file', 'history.csv')])
      await expect(readHistory(wrong)).rejects.toMatchObject({ code: 'OPTION_INVALID' })
  })
})

describe('a process that is killed', () => {
  let built: string
  beforeAll(async () => {
    built = await builtScripts('bench-append', { append: 'test/cli/bench/append-forever.ts' })
  }, 60_000)
  afterAll(() => rm(built, { recursive: true }))

  test('leaves all lines of a run or none, and the next one goes on', async () => {
    const KILLS = 12
    const three = ['a', 'b', 'c'].map(name => historyLines(measuredOnly(name))).join('')
    let before = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const child = fork(join(built, 'append.js'), [path])
      let told = 0
      child.on('message', () => told++)
      await once(child, 'message')
      await new Promise(resolve => setTimeout(resolve, kill * 3))
      child.kill('SIGKILL')
      await once(child, 'exit')
      const lines = (await readHistory(path)).slice(HISTORY_HEADER.length)
      const runs = lines.length / three.length
      expect(lines).toBe(three.repeat(runs))
      expect(runs).toBeGreaterThanOrEqual(before + told)
      before = runs
    }
    // What a killed process leaves is beside the history, under the name of a temporary file.
    const others = (await readdir(folder)).filter(name => name !== 'history.csv')
    expect(others.every(name => name.endsWith('.partial'))).toBe(true)
  }, 60_000)
})
