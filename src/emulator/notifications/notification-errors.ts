// The error rows of createSubscription (signing-keys-and-subscriptions.md, section 7; other
// statuses from service-notes.md, section 4.2).

import { type ErrorRow, requestError } from '../http/error-family'

export type NotificationErrorId =
  | 195000
  | 195003
  | 195006
  | 195007
  | 195008
  | 195009
  | 195010
  | 195011
  | 195012
  | 195015
  | 195027

export const NOTIFICATION_ERRORS: Readonly<Record<NotificationErrorId, ErrorRow>> = {
  195000: {
    status: 500,
    category: 'APPLICATION',
    message: 'There was a problem with an internal system. Wait and try again.',
  },
  195003: requestError(400, 'The configuration that notifications need is missing.', 'payload'),
  195006: requestError(400, 'The subscription status is invalid or missing.', 'status'),
  195007: requestError(400, 'The destination identifier is invalid or missing.', 'destinationId'),
  195008: requestError(400, 'The schema version is invalid or missing.', 'schemaVersion'),
  195009: requestError(400, 'The format is not supported for the topic.', 'format'),
  195010: requestError(400, 'The protocol is invalid or missing.', 'deliveryProtocol'),
  195011: requestError(403, 'Not authorized for the topic.', 'topicId'),
  195012: requestError(409, 'The subscription exists already.', 'topicId'),
  195015: requestError(
    400,
    'The subscription cannot be enabled: its destination is not enabled.',
    'destinationId',
  ),
  195027: requestError(400, 'The topic identifier is invalid or missing.', 'topicId'),
}
