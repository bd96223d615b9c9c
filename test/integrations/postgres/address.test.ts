// What a caller gives as the place of rows: its checks, and the name that tells places apart.

import { expect, test } from 'vitest'
import { dropCategory, postgresSink, postgresTarget } from '../../../src/integrations/postgres'
import { CATEGORY } from './small-file'

const DSN = 'postgres://shop@db.example/shop'

test('the name of a target differs where its tables do', () => {
  const names = [
    postgresTarget(DSN),
    postgresTarget(DSN, { schema: 'a' }),
    postgresTarget(DSN, { schema: 'b' }),
    postgresTarget(DSN, { prefix: 'a' }),
    postgresTarget(DSN, { schema: 'a', prefix: 'a' }),
    postgresTarget({ host: 'db.example', user: 'shop', database: 'shop' }, { schema: '&prefix=a' }),
  ].map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  // Each name is an address of the same tables.
  expect(names.map(name => postgresTarget(name).name)).toEqual(names)
})

test('the parameters of an address name the tables where no option does', () => {
  const given = `${DSN}?sslmode=require&schema=a&prefix=p_`
  expect(postgresTarget(given).name).toBe(`${DSN}?schema=a&prefix=p_`)
  expect(postgresTarget(given, { schema: 'b' }).name).toBe(`${DSN}?schema=b&prefix=p_`)
  expect(postgresTarget(`${DSN}?schema=feedmill&prefix=`).name).toBe(DSN)
})

test.each([
  ['connection.host', { host: 1 }],
  ['connection.port', { port: '5432' }],
  ['connection.port', { port: 65_536 }],
  ['connection.user', { user: null }],
  ['connection.database', { database: ['shop'] }],
  ['connection.password', { password: 7 }],
  ['connection.ssl', { ssl: 'require' }],
  ['connection.options', { options: {} }],
  ['hots', { hots: 'db.example' }],
  ['connection', 5],
  ['connection', 'postgres://db.example:0/shop'],
  ['schema', `${DSN}?schema=`],
  ['schema', `${DSN}?schema=${'s'.repeat(64)}`],
])('a wrong %s is refused at the call', (option, connection) => {
  const refused = expect.objectContaining({
    code: 'OPTION_INVALID',
    context: expect.objectContaining({ option }),
  })
  expect(() => postgresTarget(connection as never)).toThrow(refused)
  expect(() => postgresSink(connection as never, { table: 'items' })).toThrow(refused)
  return expect(dropCategory(connection as never, CATEGORY)).rejects.toEqual(refused)
})
