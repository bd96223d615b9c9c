#!/usr/bin/env node
// The `feedmill` command: runs what program.ts describes.

import { exitCodeOf, failureText } from './exit-code'
import { printed } from './output'
import { program } from './program'

// What cannot be told on standard error can be told nowhere: the exit code says what is to be said.
process.stderr.on('error', () => {})
try {
  await program(process.argv).parseAsync(process.argv).finally(printed)
} catch (error) {
  const text = failureText(error)
  if (text !== undefined) console.error(text)
  process.exitCode = exitCodeOf(error)
}
