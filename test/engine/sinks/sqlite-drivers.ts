// The ways to SQLite. Where this Node has no node:sqlite, a stand-in gives the statements of a
// transaction to the program `sqlite3`.

import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import {
  loadSqlite,
  type OpenSqlite,
  type SqliteValue,
} from '../../../src/engine/sinks/sqlite-sink'

/** Gathers statements and runs them at the COMMIT, as one input of the program. */
const byProgram: OpenSqlite = path => {
  let statements = ''
  const literal = (value: SqliteValue) => {
    if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
    if (typeof value !== 'number') return String(value ?? 'NULL')
    // A double is never a whole number, and has a sign at zero too.
    const text = Object.is(value, -0) ? '-0' : String(value)
    return /^-?\d+$/.test(text) ? `${text}.0` : text
  }
  return {
    exec(sql) {
      statements += `${sql};\n`
      if (sql !== 'COMMIT') return
      const { status, stderr } = spawnSync('sqlite3', ['-bail', path], { input: statements })
      if (status !== 0) throw new TypeError(String(stderr))
    },
    prepare: sql => ({
      // What the file has before the transaction.
      all(...values) {
        let n = 0
        return readSqlite(
          path,
          sql.replaceAll('?', () => literal(values[n++]!)),
        )
      },
      run(...values) {
        let n = 0
        statements += `${sql.replaceAll('?', () => literal(values[n++]!))};\n`
      },
    }),
    close() {},
  }
}

const hasProgram = spawnSync('sqlite3', ['-version']).status === 0
const hasModule = (() => {
  try {
    return loadSqlite() !== undefined
  } catch {
    return false
  }
})()
/** The ways to SQLite that this machine has. */
export const SQLITE_DRIVERS: [string, OpenSqlite][] = [
  ...(hasModule ? [['of this Node', loadSqlite()] as [string, OpenSqlite]] : []),
  ...(hasProgram ? [['of the program sqlite3', byProgram] as [string, OpenSqlite]] : []),
]

export function readSqlite(path: string, sql: string): Record<string, unknown>[] {
  if (hasProgram) {
    const { stdout, stderr } = spawnSync('sqlite3', ['-json', path, sql], { encoding: 'utf8' })
    if (stderr !== '') throw new TypeError(stderr)
    return stdout === '' ? [] : JSON.parse(stdout)
  }
  const { DatabaseSync } = createRequire(import.meta.url)('node:sqlite')
  return new DatabaseSync(path).prepare(sql).all()
}
