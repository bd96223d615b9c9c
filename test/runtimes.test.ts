import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

// The checks themselves need a package registry: npm run check:runtimes.
test('the table of the guide is that of the checks', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(ROOT, 'test/runtimes/check.mjs'),
    '--list',
  ])
  const page = await readFile(join(ROOT, 'src/guide/runtimes.md'), 'utf8')
  expect(/<!-- runtimes -->\n([\s\S]*?)<!-- \/runtimes -->/.exec(page)?.[1]).toBe(stdout)
  expect(stdout.trim().split('\n').length).toBeGreaterThan(10)
})
