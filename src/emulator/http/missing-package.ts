// Makes the error for a missing optional package of the emulator.

import { FeedError } from '../../engine/index'

export function missingPackage(name: string, cause: unknown): FeedError<'DEPENDENCY_MISSING'> {
  const context = { package: name, neededFor: 'the emulator' }
  const message = `${context.neededFor} needs the package ${name}: npm install hono @hono/node-server`
  return new FeedError('DEPENDENCY_MISSING', message, context, { cause })
}
