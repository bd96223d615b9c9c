import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { secretJsonFile } from '../../src/cli/json-file'
import { schemaFile } from '../../src/cli/schema-file'
import { runsWith } from '../tools'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'feedmill-json-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function pipeNamed(name: string): string {
  const path = join(folder, name)
  spawnSync('mkfifo', ['-m', '600', path])
  return path
}

const hasPipes = runsWith('mkfifo')

test.runIf(hasPipes)('fault 122: a credentials file and a JSON schema may be pipes', async () => {
  const secret = pipeNamed('secret')
  const writer = spawn('sh', ['-c', `sleep 0.02; echo '{"clientSecret":"x"}' > ${secret}`])
  expect(secretJsonFile('credentials', secret)).toEqual({ clientSecret: 'x' })
  await once(writer, 'exit')
  const schema = pipeNamed('schema.json')
  const text = '{"name":"own","columns":{"sku":{"type":"text"}}}'
  spawn('sh', ['-c', `echo '${text}' > ${schema}`])
  expect((await schemaFile(schema)).name).toBe('own')
})

test.runIf(hasPipes)('fault 122: a module cannot be a pipe', async () => {
  await expect(schemaFile(pipeNamed('schema.mjs'))).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    message: expect.stringContaining('not a pipe'),
  })
})

test.each([
  ['a folder', () => folder, 'the file cannot be read (EISDIR)'],
  ['no file', () => join(folder, 'none'), 'the file cannot be read (ENOENT)'],
  ['a device without an end', () => '/dev/zero', '/dev/zero is not JSON, or larger than 256 MiB'],
])('fault 122: %s is refused where a JSON file is expected', (_, path, message) => {
  expect(() => secretJsonFile('credentials', path())).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID', message: `credentials: ${message}` }),
  )
})

test('fault 114: JSON in place of the name of a file is not shown', () => {
  const refused = (() => {
    try {
      return secretJsonFile('credentials', '{"clientSecret":"s3cr3t-4711"}')
    } catch (error) {
      return error
    }
  })() as Error
  expect([refused.message, refused.cause]).toEqual([
    'credentials: the file cannot be read (ENOENT)',
    undefined,
  ])
})
