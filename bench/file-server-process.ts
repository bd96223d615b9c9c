// What runs in the server's process: it serves the file of the first argument, writes the URL to
// the standard output, and ends when its standard input does, so that it cannot outlive the process
// that started it.

import { serveFile } from './file-server'

const { url } = await serveFile(process.argv[2]!)
process.stdout.write(`${url}\n`)
process.stdin.once('end', () => process.exit()).resume()
