// What goes on, on the last line of a terminal; nothing elsewhere.

export function progress(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${what}`)
}
