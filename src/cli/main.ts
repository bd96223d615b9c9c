#!/usr/bin/env node
// The `feedmill` command: runs what program.ts describes.

import { exitCodeOf, failureText } from './exit-code'
import { program } from './program'

try {
  await program(process.argv).parseAsync(process.argv)
} catch (error) {
  const text = failureText(error)
  if (text !== undefined) console.error(text)
  process.exitCode = exitCodeOf(error)
}
