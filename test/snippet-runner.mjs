// Runs compiled snippets one after the other in a process of its own, and sends what each printed: package.test.ts starts it.
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
