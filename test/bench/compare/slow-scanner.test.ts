import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { slowScanner } from '../../../bench/compare/slow-scanner'

let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'feedmill-slow-'))
})

afterAll(() => rm(directory, { recursive: true }))

test('the call of the scanner in these sources is slowed down', async () => {
  await cp('src', join(directory, 'src'), { recursive: true })
  await slowScanner(directory, 0.1)
  const parser = await readFile(join(directory, 'src/codec/tsv/parser.ts'), 'utf8')
  expect(parser).toMatch(/^import \{ busy \} from '\.\.\/busy'\n/)
  expect(parser).toMatch(/busy\([\w.#]+\)\.scan\(/)
  expect(await readFile(join(directory, 'src/codec/busy.ts'), 'utf8')).toContain('* 0.1')
})

test('sources in which nothing scans are refused', async () => {
  const empty = join(directory, 'empty')
  for (const folder of ['codec', 'stages', 'pipeline'])
    await mkdir(join(empty, 'src', folder), { recursive: true })
  await expect(slowScanner(empty, 0.1)).rejects.toThrow(/no scanner is called/)
})
