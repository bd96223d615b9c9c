#!/usr/bin/env node
// The `feedmill` command: runs what program.ts describes and turns its outcome into an exit code.

import { FeedError } from '../index'
import { program } from './program'

try {
  await program(process.argv).parseAsync(process.argv)
} catch (error) {
  // A FeedError says what is wrong in its message; anything else is a defect, and its stack is what helps.
  console.error(FeedError.is(error) ? `feedmill: ${error.code}: ${error.message}` : error)
  process.exitCode = 1
}
