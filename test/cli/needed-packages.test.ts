import { expect, test } from 'vitest'
import { needPackages } from '../../src/cli/needed-packages'

test('one line names the missing packages with the versions to install', () => {
  expect(() => needPackages('demo', () => false)).toThrow(
    expect.objectContaining({
      code: 'DEPENDENCY_MISSING',
      message: expect.stringMatching(
        /^feedmill demo needs hono, @hono\/node-server: npm install hono@\^4\S* @hono\/node-server@\^2\S*$/,
      ),
      context: { package: 'hono @hono/node-server', neededFor: 'feedmill demo' },
    }),
  )
})

test.each(['status --queue', 'serve', 'demo'] as const)(
  '%s finds the installed packages',
  command => {
    expect(() => needPackages(command)).not.toThrow()
  },
)
