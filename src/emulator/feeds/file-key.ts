// The name of a file within a world, for caches, identifiers and draws from the seed.

import type { FeedFile } from './feed-file'

/** Names a file uniquely within a world. */
export function fileKey(file: FeedFile): string {
  return [
    file.feed,
    file.content,
    file.marketplaceId,
    file.categoryId,
    file.from.getTime(),
    file.to.getTime(),
  ].join('/')
}
