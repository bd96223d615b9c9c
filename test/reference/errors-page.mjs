// The page of all error codes: meaning and remedy from the comments of `ErrorContexts`, fields from
// its types, families and retryable codes from the constants beside it.

import ts from 'typescript'
import { commentOf, oneLine, placeOf, problems, walk } from './sources.mjs'

/** What the families are called on the page; a family without a title has its own name. */
const TITLES = {
  usage: 'Mistakes of the caller',
  stage: 'Stages and pipelines',
  http: 'HTTP',
  operation: 'The clients of the service',
  token: 'Access tokens',
  range: 'Ranges',
  chunk: 'Chunks',
  gzip: 'Gzip',
  tsv: 'TSV',
  row: 'Cells, keys and versions',
  state: 'Stores and state folders',
  sync: 'Synchronisation',
  sink: 'Sinks',
  bench: 'Benchmarks',
}

export function errorsPage({ checker, entries, fileAt, root }) {
  const contexts = entries.get('feedmill').find(({ name }) => name === 'ErrorContexts')
  const { families, retryable } = constantsOf(fileAt('engine/errors.ts'))
  const codes = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(contexts)).map(code => {
    const declaration = code.valueDeclaration
    const place = `${placeOf(declaration, root)}: ${code.name}`
    const tag = code.getJsDocTags(checker).find(({ name }) => name === 'remedy')
    const meaning = commentOf(code, checker)
    const remedy = oneLine(ts.displayPartsToString(tag?.text))
    if (meaning === '') problems.push(`${place} has no comment: say when it is thrown`)
    if (remedy === '')
      problems.push(`${place} has no remedy: add "@remedy" and a sentence that says what to do`)
    const fields = checker
      .getPropertiesOfType(checker.getTypeOfSymbol(code))
      .map(({ name, flags }) => `\`${name}${flags & ts.SymbolFlags.Optional ? '?' : ''}\``)
    return { name: code.name, meaning, remedy, fields, isRetryable: retryable.includes(code.name) }
  })
  const sections = [...new Set(families.values())].map(family => {
    const own = codes.filter(({ name }) => families.get(name.split('_')[0]) === family)
    return `## ${TITLES[family] ?? family}\n\n${own.map(textOf).join('\n')}`
  })
  return `# Error codes

\`npm run reference\` makes this page from the sources.
Every failure is a \`FeedError\` with one of these codes as \`code\`, and with the listed fields in \`context\`; a field with a question mark may be left out.
[Errors, bad rows, abort and progress](../guide/errors.md) says how to handle them, and [When something is wrong](../guide/troubleshooting.md) starts from what you see.

${sections.join('\n')}`
}

function textOf({ name, meaning, remedy, fields, isRetryable }) {
  const repeat = isRetryable ? '\n- Retryable: the same work may succeed when it is repeated later.' : ''
  return `### ${name}

${meaning}

- What to do: ${remedy}
- Context: ${fields.join(', ')}${repeat}
`
}

function constantsOf(file) {
  const families = new Map()
  const retryable = []
  walk(file, node => {
    if (!ts.isVariableDeclaration(node)) return
    if (node.name.getText() === 'FAMILIES')
      walk(node, each => {
        if (ts.isPropertyAssignment(each)) families.set(each.name.getText(), each.initializer.text)
      })
    if (node.name.getText() === 'RETRYABLE')
      walk(node, each => {
        if (ts.isStringLiteral(each)) retryable.push(each.text)
      })
  })
  return { families, retryable }
}
