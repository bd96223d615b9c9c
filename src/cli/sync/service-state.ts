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
  const expected = 'a state folder of the service'
  const way = 'read it with openState(folder).feed(source) of feedmill/sync'
  const message = `${folder} holds feeds of your own, which commands do not read: ${way}`
  throw usageError('state', expected, 'feeds of your own', message)
}

/** @throws FeedError STATE_MISSING where a category has no items because it has no bootstrap yet */
export function refuseWithoutBootstrap(folder: string, categories: readonly OpenCategory[]): void {
  const early = categories.find(category => category.plan().watermark === undefined)
  if (early === undefined) return
  const message = `${folder}: the category ${early.categoryId} has no bootstrap yet: run sync until status shows its time`
  throw new FeedError('STATE_MISSING', message, { path: folder })
}
