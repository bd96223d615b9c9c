// The built command, stopped by a signal while its program runs.

import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type BuiltCommand, builtCommand, ended } from '../built'

let built: BuiltCommand
let folder: string
beforeAll(async () => {
  built = await builtCommand()
  folder = await mkdtemp(join(tmpdir(), 'feedmill-signal-'))
}, 120_000)
afterAll(async () => {
  await built.drop()
  await rm(folder, { recursive: true })
})

test('SIGINT ends the program and removes the folder', async () => {
  const mark = join(folder, 'mark')
  const [written, place] = [JSON.stringify(`${mark}.new`), JSON.stringify(mark)]
  // The rename makes the mark appear with its contents, since the signal may come right after it.
  const text = `const { renameSync, writeFileSync } = require('node:fs')
    writeFileSync(${written}, process.env.FEEDMILL_FOLDER)
    renameSync(${written}, ${place})
    setInterval(() => {}, 1000)`
  const child = built.start(['verify', '--items', '20', '--', process.execPath, '-e', text])
  await vi.waitFor(() => expect(existsSync(mark)).toBe(true), { timeout: 30_000 })
  child.kill('SIGINT')
  expect(await ended(child)).toMatchObject({ code: 130, out: '' })
  const round = readFileSync(mark, 'utf8')
  expect(round).not.toBe('')
  expect(existsSync(dirname(round))).toBe(false)
})

test('the words after -- belong to the program, and a mistake before it is wrong usage', async () => {
  const text = 'console.log(process.argv.slice(1).join()); process.exit(1)'
  const words = ['--attempts', '1', '--', process.execPath, '-e', text, '--', '--seed', 'x']
  const { code, out } = await ended(built.start(['verify', '--items', '20', ...words]))
  expect([code, out.includes('--seed,x'), out.includes('exit code 1 after 1 attempt')]).toEqual([
    1,
    true,
    true,
  ])
  for (const wrong of [
    ['--fault', 'gremlins', '--', 'true'],
    ['--timeout', '0', '--', 'true'],
    ['--items', 'many', '--', 'true'],
    [],
    ['--', '/no/such/program'],
  ]) {
    const end = await ended(built.start(['verify', ...wrong]))
    expect([end.code, end.err]).toEqual([2, expect.stringMatching(/error|cannot be started/)])
  }
}, 120_000)
