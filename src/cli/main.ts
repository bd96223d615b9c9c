#!/usr/bin/env node
// The `feedmill` command. It runs the program that program.ts describes.

import { exitCodeOf, failureText } from './exit-code'
import { printed } from './output'
import { program } from './program'

// There is no other place for a message when standard error fails, so only the exit code is left.
process.stderr.on('error', () => {})
let isJson = false
try {
  await program(process.argv)
    // `profile --json FILE` prints the table, so that its failures are text too.
    .hook('preAction', (_, command) => void (isJson = command.opts().json === true))
    .parseAsync(process.argv)
    .finally(printed)
} catch (error) {
  const text = failureText(error, isJson)
  if (text !== undefined) console.error(text)
  process.exitCode = exitCodeOf(error)
}
