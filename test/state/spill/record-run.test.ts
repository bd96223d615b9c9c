import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFiles } from '../../../src/engine/disk/durable-files'
import { mergeRecords, RecordRun } from '../../../src/state/spill/record-run'
import { ScratchFolder } from '../../../src/state/spill/scratch-folder'
import { collect } from '../../rows-from-text'

const records = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => ({
    key: String(from + n).padStart(4, '0'),
    value: Buffer.alloc(100, from + n),
  }))

test('blocks end with the record that brings them to their size, and are read one by one', async () => {
  const folder = new ScratchFolder()
  const blocks: [number, string][] = []
  const run = await RecordRun.write(folder, [records(0, 10), records(10, 20)], {
    blockBytes: 300,
    onBlock: (offset, firstKey) => blocks.push([offset, firstKey]),
  })
  expect(blocks.map(([, key]) => key)).toEqual('0000 0003 0006 0009 0012 0015 0018'.split(' '))
  const cursor = await run.block(blocks[2]![0])
  const keys: string[] = []
  while (cursor.next()) keys.push(cursor.record.key)
  expect([keys, cursor.nextOffset]).toEqual([['0006', '0007', '0008'], blocks[3]![0]])
  await folder.close()
})

test('any damaged byte is STATE_CORRUPT, a cut file too', async () => {
  let path = ''
  const folder = new ScratchFolder({
    ...scratchFiles,
    create(file) {
      path = file
      return scratchFiles.create(file)
    },
  })
  const run = await RecordRun.write(folder, [records(0, 3)])
  const whole = await readFile(path)
  const failure = () =>
    collect(mergeRecords([run])).then(
      () => 'none',
      ({ code }) => code,
    )
  for (let at = 0; at < whole.length; at += 1) {
    const damaged = Buffer.from(whole)
    damaged[at]! ^= 0x55
    await writeFile(path, damaged)
    expect(await failure(), String(at)).toBe('STATE_CORRUPT')
  }
  for (const length of [0, 5, 100]) {
    await writeFile(path, whole.subarray(0, length))
    expect(await failure(), `cut at ${length}`).toBe('STATE_CORRUPT')
  }
  await writeFile(path, whole)
  expect(await failure()).toBe('none')
  await run.remove()
  expect(await readdir(dirname(path))).toEqual([])
  await folder.close()
  await expect(readdir(dirname(path))).rejects.toMatchObject({ code: 'ENOENT' })
})
