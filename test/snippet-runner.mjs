// Runs compiled snippets one after the other, and sends what each printed to package.test.ts, which
// starts this program.
//
//   node test/snippet-runner.mjs PREAMBLE MODULE…

const [preamble, ...modules] = process.argv.slice(2)
const { close, facts } = await import(preamble)
process.chdir(facts.folder)
for (const module of modules) {
  const printed = []
  console.log = (...words) => void printed.push(words)
  const error = await import(module).then(
    () => undefined,
    failure => String(failure?.stack ?? failure),
  )
  process.send({ printed, error, facts })
}
await close()
process.disconnect()
