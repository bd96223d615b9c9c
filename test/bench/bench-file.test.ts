// The benchmarks of a file.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { benchesOf, benchOf } from '../../src/bench/bench-file'

let folder: string
let written = 0
const ONE = "{ name: 'one', pipeline: () => 1 }"
const TWO = "{ name: 'two', pipeline: () => 2 }"

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-bench-file-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function file(text: string, suffix = 'mjs'): Promise<string> {
  const path = join(folder, `${written++}.bench.${suffix}`)
  await writeFile(path, text)
  return path
}

test.each([
  ['one as the default', `export default ${ONE}`, ['one']],
  ['a list as the default', `export default [${ONE}, ${TWO}]`, ['one', 'two']],
  ['several by name', `export const a = ${ONE}\nexport const b = ${TWO}`, ['one', 'two']],
  [
    'the default alone, beside other exports',
    `export const url = 7\nexport default ${ONE}`,
    ['one'],
  ],
])('%s', async (_, text, names) => {
  expect((await benchesOf(await file(text))).map(({ name }) => name)).toEqual(names)
})

test('a module of CommonJS', async () => {
  const path = await file(`module.exports = { a: ${ONE}, b: ${TWO} }`, 'cjs')
  expect((await benchesOf(path)).map(({ name }) => name)).toEqual(['one', 'two'])
})

test.each([
  ['nothing', 'export {}', /exports no benchmark/],
  ['something else', 'export default 7', /an export is wrong/],
  [
    'one without its function',
    "export default { name: 'one' }",
    /"one" is wrong: pipeline must be/,
  ],
  [
    'an unknown property',
    "export default { name: 'a', pipeline: () => 1, byte: 1 }",
    /byte is not an/,
  ],
  ['two of one name', `export default [${ONE}, ${ONE}]`, /two benchmarks have the name one/],
  ['a module that fails', "throw new RangeError('on load')", /cannot be loaded: on load/],
])('%s is BENCH_FILE_INVALID', async (_, text, message) => {
  const path = await file(text)
  await expect(benchesOf(path)).rejects.toMatchObject({
    code: 'BENCH_FILE_INVALID',
    message: expect.stringMatching(message),
    context: { path },
  })
})

test('a file or a benchmark that is not there is BENCH_FILE_INVALID', async () => {
  const nowhere = benchesOf(join(folder, 'nowhere.mjs'))
  await expect(nowhere).rejects.toMatchObject({ code: 'BENCH_FILE_INVALID' })
  const three = benchOf(await file(`export default ${ONE}`), 'three')
  await expect(three).rejects.toThrow(/no benchmark with the name three/)
})
