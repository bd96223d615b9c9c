import { expect, test } from 'vitest'
import { closing, orUndo } from '../../../src/engine/disk/closing'

const failing = (message: string) => async () => {
  throw new TypeError(message)
}

test('what was used is closed once, also after a failure, and the first failure counts', async () => {
  const closed: string[] = []
  const opened = (name: string, fails = false) => ({
    name,
    close: async () => {
      closed.push(name)
      if (fails) throw new TypeError(`close of ${name}`)
    },
  })
  expect(await closing(opened('a'), async ({ name }) => `used ${name}`)).toBe('used a')
  await expect(closing(opened('b'), failing('use of b'))).rejects.toThrow('use of b')
  await expect(closing(opened('c', true), failing('use of c'))).rejects.toThrow('use of c')
  await expect(closing(opened('d', true), async () => 1)).rejects.toThrow('close of d')
  expect(closed).toEqual(['a', 'b', 'c', 'd'])
})

test('only work that fails is undone, and its failure counts', async () => {
  let undone = 0
  const undo = async () => undone++
  expect(await orUndo(async () => 'done', undo)).toBe('done')
  await expect(orUndo(failing('work'), undo)).rejects.toThrow('work')
  await expect(orUndo(failing('work'), failing('undo'))).rejects.toThrow('work')
  expect(undone).toBe(1)
})
