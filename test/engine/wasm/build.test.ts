// The build of what is generated, in a tree that has no packages of its own, as those are that two
// versions are compared in.

import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** One of the three WebAssembly modules, because a compilation takes seconds, and the worker. */
const GENERATED = ['engine/codec/tsv/scan-binary.ts', 'engine/stages/inflate-worker-source.ts']

test('the build makes a module and the worker wherever packages are found', {
  timeout: 60_000,
}, async () => {
  await mkdir(`${ROOT}.tmp`, { recursive: true })
  const tree = await mkdtemp(`${ROOT}.tmp/build-`)
  try {
    for (const file of ['package.json', 'package-lock.json', 'tsconfig.json', 'src'])
      await cp(`${ROOT}${file}`, `${tree}/${file}`, { recursive: true })
    await Promise.all(GENERATED.map(file => rm(`${tree}/src/${file}`)))
    await promisify(execFile)(process.execPath, ['src/engine/wasm/build.mjs'], { cwd: tree })
    for (const file of GENERATED) {
      expect(await readFile(`${tree}/src/${file}`, 'utf8')).toBe(
        await readFile(`${ROOT}src/${file}`, 'utf8'),
      )
    }
  } finally {
    await rm(tree, { recursive: true, force: true })
  }
})
