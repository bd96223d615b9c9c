// Commands with processes of their own: how they end, what is kept of their output, and that
// nothing of them is left.
// Long: it runs commands in processes of their own.

import { existsSync, readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { runCommand } from '../../../src/cli/verify/run-command'

const never = new AbortController().signal
const script = (text: string) => [process.execPath, '-e', text]
const run = (text: string, options = {}) =>
  runCommand({
    command: script(text),
    env: process.env,
    timeoutMs: 60_000,
    signal: never,
    ...options,
  })

/** Starts a process that never ends, prints its number, and never ends itself. */
const WITH_CHILD = `
  const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  console.log('child ' + child.pid)
  setInterval(() => {}, 1000)`

/** In a container nobody may wait for a process whose parent is gone, and it stays as a zombie. */
const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    const stat = `/proc/${pid}/stat`
    return !(existsSync(stat) && / Z /.test(readFileSync(stat, 'utf8')))
  } catch {
    return false
  }
}
const childIn = (output: string) => Number(/child (\d+)/.exec(output)?.[1])

test('the exit code, and the end of both outputs', async () => {
  const end = await run(
    `process.stdout.write('x'.repeat(9000)); console.error('failed'); process.exitCode = 3`,
  )
  expect([end.exitCode, end.timedOut, end.output.length]).toEqual([3, false, 4_000])
  expect(end.output).toContain('failed')
})

test('the time limit kills the command and what it has started', async () => {
  const { exitCode, timedOut, output } = await run(WITH_CHILD, { timeoutMs: 1_500 })
  expect([exitCode, timedOut]).toEqual([null, true])
  await vi.waitFor(() => expect(isAlive(childIn(output))).toBe(false), { timeout: 30_000 })
})

test('an abort kills it too, and one before the start as well', async () => {
  const stop = new AbortController()
  const running = run(WITH_CHILD, { signal: stop.signal })
  stop.abort()
  expect(await running).toMatchObject({ exitCode: null, timedOut: false })
  expect(await run(WITH_CHILD, { signal: AbortSignal.abort() })).toMatchObject({ exitCode: null })
})

test('a process that outlives its command ends with it', async () => {
  const text = `${WITH_CHILD.replace('setInterval(() => {}, 1000)\n', '')}\nsetTimeout(() => process.exit(0), 40)`
  const { exitCode, output } = await run(text)
  expect(exitCode).toBe(0)
  await vi.waitFor(() => expect(isAlive(childIn(output))).toBe(false), { timeout: 30_000 })
})

test('a command that cannot be started is a mistake of the caller', async () => {
  const command = ['/no/such/program']
  await expect(
    runCommand({ command, env: process.env, timeoutMs: 1_000, signal: never }),
  ).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    context: { option: 'command', received: '/no/such/program' },
  })
})
