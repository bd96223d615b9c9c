// What the tables of options say (`… satisfies OptionTable<SyncOptions>`, which `readOptions` of
// src/engine/options.ts reads): the default and the bounds of each option.

import ts from 'typescript'
import { unaliased, valueOf, walk } from './sources.mjs'

const BOUNDS = new Map([
  ['wholeNumber', { least: 1, most: Number.MAX_SAFE_INTEGER }],
  ['durationMs', { least: 1, most: 2 ** 31 - 1 }],
  ['finiteNumber', { least: undefined, most: Number.MAX_VALUE }],
])

/**
 * The tables by the symbols of their types, with the options by their names:
 * `{ file, options: { name: { byDefault, bounds: [{ least, most }] } } }`.
 */
export function optionTables({ checker, files }) {
  const tables = new Map()
  for (const file of files)
    walk(file, node => {
      if (!ts.isSatisfiesExpression(node) || !/^OptionTable</.test(node.type.getText())) return
      const symbol = optionsOf(node.type.typeArguments[0], checker)
      if (symbol === undefined) return
      const entries = entriesOf(node.expression, checker)
      const facts = entries.map(([name, check]) => [name, factsOf(check, checker)])
      const table = { file: file.fileName, options: Object.fromEntries(facts) }
      tables.set(symbol, [...(tables.get(symbol) ?? []), table])
    })
  return tables
}

/** The symbol of a type, also in `Partial<…>` or `Omit<…>`. */
function optionsOf(type, checker) {
  if (!ts.isTypeReferenceNode(type)) return undefined
  if (/^(?:Partial|Omit)$/.test(type.typeName.getText()))
    return optionsOf(type.typeArguments[0], checker)
  return unaliased(checker, checker.getSymbolAtLocation(type.typeName))
}

/** The checks of a table by the names of the options, those of tables that it spreads included. */
function entriesOf(table, checker) {
  if (ts.isSatisfiesExpression(table)) return entriesOf(table.expression, checker)
  if (ts.isIdentifier(table)) return entriesOf(declaredBy(table, checker).initializer, checker)
  return table.properties.flatMap(property =>
    ts.isSpreadAssignment(property)
      ? entriesOf(property.expression, checker)
      : [[property.name.getText(), property.initializer ?? property.name]],
  )
}

function declaredBy(name, checker) {
  const symbol = ts.isShorthandPropertyAssignment(name.parent)
    ? checker.getShorthandAssignmentValueSymbol(name.parent)
    : checker.getSymbolAtLocation(name)
  return symbol && unaliased(checker, symbol).valueDeclaration
}

/** `check`, or `[check, byDefault]` of an option that may be left out. */
function factsOf(option, checker) {
  const [check, byDefault] = ts.isArrayLiteralExpression(option) ? option.elements : [option]
  const bounds = callsIn(check, checker).flatMap(({ name, args }) => {
    const standard = BOUNDS.get(name)
    if (standard === undefined) return []
    const [least = standard.least, most = standard.most] = args.map(arg => valueOf(arg, checker))
    return typeof least === 'number' && typeof most === 'number' ? [{ least, most }] : []
  })
  return { byDefault: byDefault && valueOf(byDefault, checker), bounds }
}

/** The calls in a check, also in the constants and functions that it names. */
function callsIn(check, checker, depth = 2) {
  const calls = []
  walk(check, node => {
    if (ts.isCallExpression(node))
      calls.push({ name: node.expression.getText().replace(/^.*\./, ''), args: node.arguments })
    if (!ts.isIdentifier(node) || depth === 0) return
    const declared = declaredBy(node, checker)
    const isOfTable = declared?.getSourceFile().fileName.endsWith('/src/engine/options.ts')
    if (declared === undefined || isOfTable) return
    const inside = ts.isVariableDeclaration(declared)
      ? declared.initializer
      : ts.isFunctionDeclaration(declared) && declared.body
    if (inside) calls.push(...callsIn(inside, checker, depth - 1))
  })
  return calls
}
