// Where credentials come from, and when they are asked for again.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { CredentialsSource, type S3Credentials } from '../../../src/integrations/s3/credentials'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-credentials-'))
  await writeFile(
    join(folder, 'shared'),
    `# keys
[default]
aws_access_key_id = ID-1
aws_secret_access_key=secret/1=
region = x
  [ night ]
aws_access_key_id= ID-2
aws_secret_access_key =secret-2
aws_session_token = token==
[empty]
`,
  )
})
afterAll(() => rm(folder, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

const VARIABLES = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_PROFILE']
function environment(given: Record<string, string>): void {
  for (const name of VARIABLES) vi.stubEnv(name, undefined)
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder, 'shared'))
  for (const [name, value] of Object.entries(given)) vi.stubEnv(name, value)
}
const sourceOf = (given?: ConstructorParameters<typeof CredentialsSource>[0]) =>
  new CredentialsSource(given)

test('the environment comes before the file', async () => {
  environment({ AWS_ACCESS_KEY_ID: 'ID', AWS_SECRET_ACCESS_KEY: 'secret', AWS_PROFILE: 'night' })
  expect(await sourceOf().current()).toEqual({ accessKeyId: 'ID', secretAccessKey: 'secret' })
})

test.each([
  [undefined, { accessKeyId: 'ID-1', secretAccessKey: 'secret/1=' }],
  ['night', { accessKeyId: 'ID-2', secretAccessKey: 'secret-2', sessionToken: 'token==' }],
])('the profile %s of the file', async (profile, found) => {
  environment(profile === undefined ? {} : { AWS_PROFILE: profile })
  expect(await sourceOf().current()).toEqual(found)
})

test.each(['empty', 'none'])(
  'the profile %s has none, and the error says where they go',
  async profile => {
    environment({ AWS_PROFILE: profile, AWS_ACCESS_KEY_ID: 'alone' })
    await expect(sourceOf().current()).rejects.toMatchObject({
      code: 'TOKEN_REFUSED',
      message: expect.stringMatching(/profile (?:empty|none) .*AWS_ACCESS_KEY_ID/),
    })
  },
)

test('a file that is not there', async () => {
  environment({ AWS_SHARED_CREDENTIALS_FILE: join(folder, 'no') })
  await expect(sourceOf().current()).rejects.toMatchObject({ code: 'TOKEN_REFUSED' })
})

test('a function is asked once, a minute before its credentials end, and where they have ended', async () => {
  let asked = 0
  let lastsMs = 61_000
  const source = sourceOf(async () => ({
    accessKeyId: `${++asked}`,
    secretAccessKey: 'secret',
    expiration: new Date(Date.now() + lastsMs),
  }))
  const ids = async (...all: Promise<S3Credentials>[]) =>
    (await Promise.all(all)).map(({ accessKeyId }) => accessKeyId)
  expect(await ids(source.current(), source.current())).toEqual(['1', '1'])
  const first = await source.current()
  expect(await ids(source.renewed(first), source.renewed(first))).toEqual(['2', '2'])
  expect(await ids(source.renewed(first), source.current())).toEqual(['2', '2'])
  lastsMs = 59_000
  await source.renewed(await source.current())
  expect(await ids(source.current())).not.toEqual(['3'])
})

test('a function that fails is asked again, and its failure is typed', async () => {
  let asked = 0
  const source = sourceOf(() => {
    if (asked++ === 0) throw new RangeError('not now')
    return { accessKeyId: 'ID', secretAccessKey: 'secret' }
  })
  await expect(source.current()).rejects.toMatchObject({
    code: 'TOKEN_REFUSED',
    message: 'no credentials for the bucket: credentials() failed: not now',
  })
  expect((await source.current()).accessKeyId).toBe('ID')
})

test.each([
  7,
  {},
  { accessKeyId: 'a', secretAccessKey: 7 },
  { accessKeyId: '', secretAccessKey: 'a' },
])('the credentials %j are refused', given =>
  expect(() => sourceOf(given as never)).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  ),
)
