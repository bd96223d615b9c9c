import { expect, test } from 'vitest'
import { needPackages } from '../../src/cli/needed-packages'

test('one line names the missing packages with the versions to install', () => {
  expect(() => needPackages('demo', name => name === 'hono')).toThrow(
    expect.objectContaining({
      code: 'DEPENDENCY_MISSING',
      message: expect.stringMatching(
        /^feedmill demo needs classic-level, @hono\/node-server: npm install classic-level@\^3\S* @hono\/node-server@\^2\S*$/,
      ),
      context: { package: 'classic-level @hono/node-server', neededFor: 'feedmill demo' },
    }),
  )
})

test.each(['sync', 'status', 'export', 'serve', 'demo'] as const)(
  '%s finds the installed packages',
  command => {
    expect(() => needPackages(command)).not.toThrow()
  },
)
