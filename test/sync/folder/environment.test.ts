import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { machineProcesses } from '../../../src/sync/folder/environment'

test('this process runs, and always has the same identity', () => {
  const [one, other] = [machineProcesses.own(), machineProcesses.own()]
  expect([machineProcesses.mayRun(one), one.pid]).toEqual([true, process.pid])
  expect(other).toEqual(one)
})

test('a process that has ended does not run, and one of another machine may run', async () => {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  const ended = { ...machineProcesses.own(), pid: child.pid! }
  expect(machineProcesses.mayRun(ended)).toBe(false)
  expect(machineProcesses.mayRun({ ...ended, host: 'elsewhere' })).toBe(true)
})

test.runIf(process.platform === 'linux')(
  'a process with the reused number of another is a different one',
  () => {
    expect(machineProcesses.mayRun({ ...machineProcesses.own(), startedAt: 'boot/1' })).toBe(false)
  },
)
