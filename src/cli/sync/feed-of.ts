// The option `--source`: the feeds of one's own that a command is about.

import { type FeedSource, readFeedFile } from '../../sync'
import { rememberValues } from '../command-secrets'

/**
 * Reads the file of the option. No line on standard error shows the variables that it names.
 * @param isFetched false for a command that sends no request, which needs no variable
 * @throws FeedError OPTION_INVALID
 */
export async function feedOf(path: string, isFetched = true): Promise<FeedSource> {
  const variable = (name: string) => {
    const secret = process.env[name]
    rememberValues({ secret })
    return isFetched ? secret : name
  }
  const { bucketFiles } = await import('../../s3')
  return readFeedFile(path, { variable, bucketFiles })
}

/** Reads the files of an option that may be repeated. */
export async function feedsOf(
  paths: readonly string[] | undefined,
  isFetched: boolean,
): Promise<readonly FeedSource[] | undefined> {
  return paths && Promise.all(paths.map(path => feedOf(path, isFetched)))
}
