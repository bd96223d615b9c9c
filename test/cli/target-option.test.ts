import { expect, test } from 'vitest'
import { packagesOfPlace, targetForm } from '../../src/cli/sync/target-option'

test('The address of a database says which packages it needs, and opens a target.', async () => {
  const to = 'postgres://shop@db.example/shop'
  expect(packagesOfPlace({ to })).toEqual(['pg', 'pg-copy-streams'])
  expect(packagesOfPlace({ state: 'folder' })).toEqual(['classic-level'])
  expect((await targetForm(to).open(to)).name).toBe(to)
})

test.each([
  'postgres://shop:hunter2@db.example/shop',
  'postgres://shop@db.example/shop?password=hunter2',
  'postgres://shop:hunter2@db.example:port/shop',
])('A password in an argument is refused, and no error shows it (%s).', async address => {
  const opening = targetForm(address).open(address)
  await expect(opening).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    message: expect.stringContaining('PGPASSWORD'),
  })
  await expect(opening).rejects.not.toThrow(/hunter2/)
})

test('Another address, and no place at all, are refused with what may stand there.', () => {
  expect(() => targetForm('mysql://shop:hunter2@db/shop')).toThrow(
    '--to must be a database such as postgres://user@host/database',
  )
  expect(() => packagesOfPlace({})).toThrow('--state must be a state folder, or --to a database')
})
