// What the code says of options: the bounds of the calls that check them (`wholeNumber`,
// `durationMs`, `finiteNumber` of src/engine/options.ts, also through a function in between), and the
// defaults that stand where options are taken apart.

import ts from 'typescript'
import { valueOf, walk } from './sources.mjs'

const CHECKS = new Map([
  ['wholeNumber', { least: 1, most: Number.MAX_SAFE_INTEGER }],
  ['durationMs', { least: 1, most: 2 ** 31 - 1 }],
  ['finiteNumber', { least: undefined, most: Number.MAX_VALUE }],
])

/** How many functions may stand between a call that names an option and the check. */
const MOST_CALLS = 4

/** The checked bounds: `{ option, least, most, file }`, where `option` has its whole path. */
export function checkedBounds({ checker, files }) {
  const found = []
  for (const file of files)
    walk(file, node => {
      if (!ts.isCallExpression(node) || node.arguments.length === 0) return
      const option = valueOf(node.arguments[0], checker)
      if (typeof option !== 'string') return
      for (const { least, most } of boundsOf(node, checker, new Map(), MOST_CALLS))
        found.push({ option, least, most, file: file.fileName })
    })
  return found
}

/** The bounds that a call checks its first argument's option for. */
function boundsOf(call, checker, known, calls) {
  const name = call.expression.getText()
  const args = call.arguments.map(argument => valueOf(argument, checker, known))
  const callee = calls > 0 ? functionOf(call, checker) : undefined
  const isCheck = callee?.getSourceFile().fileName.endsWith('/src/engine/options.ts')
  const standard = isCheck ? CHECKS.get(name) : undefined
  if (standard !== undefined) {
    const [least, most] = [2, 3].map((at, index) =>
      call.arguments.length > at ? args[at] : Object.values(standard)[index],
    )
    const isKnown = typeof least === 'number' && typeof most === 'number'
    return isKnown ? [{ least, most: name === 'durationMs' ? standard.most : most }] : []
  }
  if (callee === undefined || isCheck) return []
  const inside = new Map()
  callee.parameters.forEach(({ name: parameter, initializer }, at) => {
    if (!ts.isIdentifier(parameter)) return
    const value = args[at] ?? (initializer && valueOf(initializer, checker, inside))
    if (value !== undefined) inside.set(checker.getSymbolAtLocation(parameter), value)
  })
  const found = []
  walk(callee.body, node => {
    if (!ts.isCallExpression(node) || node.arguments.length === 0) return
    if (valueOf(node.arguments[0], checker, inside) !== args[0]) return
    found.push(...boundsOf(node, checker, inside, calls - 1))
  })
  return found
}

/** The declaration of the function that a call runs, where it is one of the sources. */
function functionOf(call, checker) {
  const declared = checker.getResolvedSignature(call)?.declaration
  return declared !== undefined && declared.body !== undefined && !declared.getSourceFile().isDeclarationFile
    ? declared
    : undefined
}

/**
 * The constant defaults of options as `{ option, value, file }`: those of `{ option = value }` and of
 * `options.option ?? value`.
 */
export function writtenDefaults({ checker, files }) {
  const found = []
  for (const file of files)
    walk(file, node => {
      const [name, standard] = defaultIn(node)
      const value = standard && valueOf(standard, checker)
      if (value === undefined || Array.isArray(value)) return
      found.push({ option: name.getText(), value, file: file.fileName })
    })
  return found
}

function defaultIn(node) {
  if (ts.isBindingElement(node)) return [node.propertyName ?? node.name, node.initializer]
  const isFallback =
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken &&
    ts.isPropertyAccessExpression(node.left)
  return isFallback ? [node.left.name, node.right] : []
}
