// A state folder as the commands read it: one of the service.

import { FeedError } from '../../index'
import { type OpenCategory, type OpenState, type OpenStateOptions, openState } from '../../sync'
import { usageError } from '../usage-error'

/**
 * Opens a state folder of the service.
 * @throws FeedError OPTION_INVALID for a folder with feeds of one's own, STATE_\*
 */
export async function openServiceState(
  folder: string,
  options?: OpenStateOptions,
): Promise<OpenState> {
  const state = await openState(folder, options)
  if (state.origin.service !== 'own') return state
  await state.close()
  const expected = 'a state folder of the service, unless --source names a feed'
  const message = `${folder} holds feeds of your own: name one by --source feed.json`
  throw usageError('state', expected, 'feeds of your own', message)
}

/**
 * Returns the categories of the folder that are wanted, or all.
 * @throws FeedError OPTION_INVALID for one that it lacks, STATE_MISSING where one has no items because
 * it has no bootstrap yet
 */
export function categoriesOf(
  folder: string,
  { categories }: OpenState,
  wanted: readonly string[],
): readonly OpenCategory[] {
  const known = categories.map(({ categoryId }) => categoryId)
  const unknown = wanted.find(id => !known.includes(id))
  if (unknown !== undefined) throw usageError('category', `one of ${known.join(', ')}`, unknown)
  const found =
    wanted.length === 0 ? categories : categories.filter(each => wanted.includes(each.categoryId))
  const early = found.find(category => category.plan().watermark === undefined)
  if (early === undefined) return found
  const message = `${folder}: the category ${early.categoryId} has no bootstrap yet: run sync until status shows its time`
  throw new FeedError('STATE_MISSING', message, { path: folder })
}
