// The sources as the pages and the API report read them: the compiler's program over the public
// entries, the texts of comments, and the values of constant expressions. It knows no page.

import { join, relative } from 'node:path'
import ts from 'typescript'

/** The entries by their names, with the module of each. */
export const ENTRIES = {
  feedmill: 'index.ts',
  'feedmill/service': 'service.ts',
  'feedmill/sync': 'sync.ts',
  'feedmill/opentelemetry': 'opentelemetry.ts',
  'feedmill/engines': 'engines.ts',
  'feedmill/bench': 'bench.ts',
  'feedmill/inspect': 'inspect.ts',
  'feedmill/queue': 'queue.ts',
  'feedmill/duckdb': 'duckdb.ts',
  'feedmill/arrow': 'arrow.ts',
  'feedmill/parquet': 'parquet.ts',
  'feedmill/postgres': 'postgres.ts',
  'feedmill/s3': 's3.ts',
  'feedmill/emulator': 'emulator.ts',
}

/** What the sources lack, one line each with its place. */
export const problems = []

/**
 * The program over the public entries of the project in `root`.
 * @param old a program over the same sources: the new one has its files, and a checker of its own
 */
export function programOf(root, old) {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, root)
  const roots = [...Object.values(ENTRIES), 'cli/exit-code.ts'].map(path => join(root, 'src', path))
  const emit = {
    ...{ noEmit: false, incremental: false, tsBuildInfoFile: undefined, noCheck: true },
    ...{ declaration: true, emitDeclarationOnly: true, rootDir: join(root, 'src') },
  }
  return ts.createProgram(roots, { ...options, ...emit }, undefined, old)
}

export function sourcesOf(root, program) {
  const src = join(root, 'src')
  const checker = program.getTypeChecker()
  const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${src}/`))
  const entries = new Map(
    Object.entries(ENTRIES).map(([name, path]) => {
      const module = checker.getSymbolAtLocation(program.getSourceFile(join(src, path)))
      const symbols = checker.getExportsOfModule(module).map(symbol => unaliased(checker, symbol))
      return [name, symbols]
    }),
  )
  const fileAt = path => program.getSourceFile(join(src, path))
  return { root, checker, files, entries, fileAt }
}

export function unaliased(checker, symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

export const isInternal = symbol =>
  symbol.getJsDocTags().some(({ name }) => name === 'internal')

/** The comment of a symbol as one line of Markdown, links as code. */
export function commentOf(symbol, checker) {
  return oneLine(ts.displayPartsToString(symbol.getDocumentationComment(checker)))
}

export function oneLine(text) {
  return text.replace(/\{@link (\S+?)\}/g, '`$1`').replace(/\s+/g, ' ').trim()
}

/** Code in a cell of a table, which a bar would end. */
export const codeCell = code => code.replace(/\|/g, '\\|')

/** Text in a cell of a table, where an angle bracket outside of code would begin HTML. */
export const cell = text =>
  codeCell(outsideCode(text, plain => plain.replace(/</g, '&lt;')))

function outsideCode(text, change) {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('')
}

export function placeOf(node, root) {
  const file = node.getSourceFile()
  const { line } = file.getLineAndCharacterOfPosition(node.getStart())
  return `${relative(root, file.fileName)}:${line + 1}`
}

/** Calls `see` with every node below `node`. */
export function walk(node, see) {
  see(node)
  ts.forEachChild(node, child => walk(child, see))
}

/**
 * The value of an expression that is constant by its text: a number, text, true, false or an array;
 * undefined for any other expression.
 * @param known values of parameters, by their symbols
 */
export function valueOf(expression, checker, known = new Map()) {
  const value = node => valueOf(node, checker, known)
  if (ts.isNumericLiteral(expression)) return Number(expression.text)
  if (ts.isStringLiteralLike(expression)) return expression.text
  if (expression.kind === ts.SyntaxKind.TrueKeyword) return true
  if (expression.kind === ts.SyntaxKind.FalseKeyword) return false
  if (ts.isParenthesizedExpression(expression) || ts.isAsExpression(expression))
    return value(expression.expression)
  if (ts.isArrayLiteralExpression(expression)) return expression.elements.map(value)
  if (ts.isTemplateExpression(expression)) {
    const parts = expression.templateSpans.map(({ expression: part, literal }) => [part, literal])
    return expression.head.text + parts.map(([part, end]) => `${value(part)}${end.text}`).join('')
  }
  if (ts.isPrefixUnaryExpression(expression)) {
    const operand = value(expression.operand)
    return expression.operator === ts.SyntaxKind.MinusToken ? -operand : undefined
  }
  if (ts.isBinaryExpression(expression)) {
    const [left, right] = [value(expression.left), value(expression.right)]
    if (left === undefined || right === undefined) return undefined
    return OPERATIONS[expression.operatorToken.kind]?.(left, right)
  }
  const text = expression.getText()
  if (/^Number\.(?:(?:MAX|MIN)_(?:SAFE_INTEGER|VALUE)|POSITIVE_INFINITY)$/.test(text)) return Number[text.slice(7)]
  if (!ts.isIdentifier(expression)) return undefined
  const symbol = checker.getSymbolAtLocation(expression)
  if (symbol === undefined) return undefined
  if (known.has(symbol)) return known.get(symbol)
  const declared = unaliased(checker, symbol).valueDeclaration
  const isConstant =
    declared !== undefined &&
    ts.isVariableDeclaration(declared) &&
    declared.parent.flags & ts.NodeFlags.Const &&
    declared.initializer !== undefined
  return isConstant ? value(declared.initializer) : undefined
}

const OPERATIONS = {
  [ts.SyntaxKind.PlusToken]: (a, b) => a + b,
  [ts.SyntaxKind.MinusToken]: (a, b) => a - b,
  [ts.SyntaxKind.AsteriskToken]: (a, b) => a * b,
  [ts.SyntaxKind.SlashToken]: (a, b) => a / b,
  [ts.SyntaxKind.AsteriskAsteriskToken]: (a, b) => a ** b,
}
