import { expect, test } from 'vitest'
import { environmentProxy } from '../../src/cli/environment-proxy'

const HTTPS_PROXY = 'http://proxy.example:3128'
const knowing = new Set(['--use-env-proxy'])

test('no proxy is used where no address is set', () => {
  expect(environmentProxy({ NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: '' }, knowing, [])).toEqual({
    isUsed: false,
  })
})

test.each([
  [{ HTTPS_PROXY, NODE_USE_ENV_PROXY: '1' }, []],
  [{ http_proxy: HTTPS_PROXY, NODE_OPTIONS: '--enable-source-maps --use-env-proxy' }, []],
  [{ HTTP_PROXY: HTTPS_PROXY }, ['--use-env-proxy']],
])('%j %j: the proxy is used', (env, words) => {
  expect(environmentProxy(env, knowing, words)).toEqual({ isUsed: true })
})

test('a warning says that an address without the switch is not used, and does not show the address, which may hold a password', () => {
  const { isUsed, warning } = environmentProxy({ HTTPS_PROXY }, knowing, [])
  expect(isUsed).toBe(false)
  expect(warning).toMatch(/^HTTPS_PROXY is not used; set NODE_USE_ENV_PROXY=1/)
  expect(warning).not.toContain('proxy.example')
})

test('a release of Node without proxy support is refused', () => {
  expect(() => environmentProxy({ HTTPS_PROXY, NODE_USE_ENV_PROXY: '1' }, new Set(), [])).toThrow(
    expect.objectContaining({
      code: 'OPTION_INVALID',
      context: expect.objectContaining({ option: 'NODE_USE_ENV_PROXY' }),
    }),
  )
})
