// The page of all events: those of a synchronisation, the channels of diagnostics, and the exit codes
// of the command line.

import ts from 'typescript'
import { cell, codeCell, commentOf, oneLine, placeOf, problems, valueOf, walk } from './sources.mjs'

export function eventsPage(sources) {
  return `# Events, channels and exit codes

\`npm run reference\` makes this page from the sources.

## Events of a synchronisation

\`for await (const event of sync(options))\` gives these events, and \`feedmill sync --json\` prints each as one line of JSON.
[Follow a category](../guide/sync.md) shows the loop.

${syncEvents(sources)}
## Channels of diagnostics

[Watching a run](../guide/watching.md) shows how to subscribe.
${commentOf(messagesOf(sources), sources.checker)}

${channels(sources)}
## Exit codes

The commands of \`feedmill\` end with these codes.

| code | meaning |
|---|---|
${exitCodes(sources)}
`
}

function syncEvents({ checker, entries, root }) {
  const symbol = entries.get('feedmill/sync').find(({ name }) => name === 'SyncEvent')
  const [{ type }] = symbol.declarations
  const ends = [type.getFullStart(), ...type.types.map(node => node.end)]
  return type.types
    .map((node, index) => {
      const place = placeOf(node, root)
      const members = checker.getPropertiesOfType(checker.getTypeFromTypeNode(node))
      const name = checker.typeToString(typeOf(members.find(each => each.name === 'type'), checker))
      // The comment of a member stands before its bar.
      const before = node.getSourceFile().text.slice(ends[index], node.getStart())
      const [, comment] = /\/\*\*(.*?)\*\/\s*\|/s.exec(before) ?? []
      if (comment === undefined || name.includes('|'))
        problems.push(`${place}: the event ${name} needs a comment of its own in SyncEvent`)
      const fields = members.filter(each => each.name !== 'type')
      return `### ${name.replaceAll('"', '')}

${oneLine((comment ?? '').replace(/^\s*\* ?/gm, ''))}

${fieldTable(fields, checker)}`
    })
    .join('\n')
}

function messagesOf({ entries }) {
  return entries.get('feedmill').find(({ name }) => name === 'DiagnosticsMessages')
}

function channels(sources) {
  const { checker, root } = sources
  return checker
    .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(messagesOf(sources)))
    .map(channel => {
      const comment = commentOf(channel, checker)
      if (comment === '')
        problems.push(`${placeOf(channel.valueDeclaration, root)}: ${channel.name} has no comment`)
      const fields = checker.getPropertiesOfType(typeOf(channel, checker))
      return `### ${channel.name}\n\n${comment}\n\n${fieldTable(fields, checker)}`
    })
    .join('\n')
}

const typeOf = (symbol, checker) => checker.getTypeOfSymbol(symbol)

function fieldTable(fields, checker) {
  const rows = fields.map(field => {
    const type = field.valueDeclaration?.type?.getText().replace(/\s+/g, ' ')
    const name = `\`${field.name}${field.flags & ts.SymbolFlags.Optional ? '?' : ''}\``
    const meaning = commentOf(field, checker) || firstSentence(typeComment(field, checker))
    return `| ${name} | \`${codeCell(type ?? '')}\` | ${cell(meaning)} |`
  })
  return `| field | type | meaning |\n|---|---|---|\n${rows.join('\n')}\n`
}

/** What the sources say of the type of a field, where they say nothing of the field. */
function typeComment(field, checker) {
  const type = checker.getNonNullableType(typeOf(field, checker))
  const symbol = type.aliasSymbol ?? type.symbol
  const isOurs = symbol?.declarations?.some(each => each.getSourceFile().fileName.includes('/src/'))
  return isOurs ? commentOf(symbol, checker) : ''
}

const firstSentence = text => /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text

function exitCodes({ checker, fileAt }) {
  let codes = []
  walk(fileAt('cli/exit-code.ts'), node => {
    if (ts.isVariableDeclaration(node) && node.name.getText() === 'EXIT_CODES')
      codes = valueOf(node.initializer, checker)
  })
  if (codes.length === 0) problems.push('src/cli/exit-code.ts: EXIT_CODES is no constant list')
  return codes.map(([code, meaning]) => `| ${code} | ${cell(meaning)} |`).join('\n')
}
