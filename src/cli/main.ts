#!/usr/bin/env node
// The `feedmill` command. It runs the program that program.ts describes.

import { run } from './program'

// There is no other place for a message when standard error fails, so only the exit code is left.
process.stderr.on('error', () => {})
await run(process.argv)
