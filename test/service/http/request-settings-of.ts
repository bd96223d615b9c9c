// The settings of requests by the options that a test states.

import { readOptions } from '../../../src/engine/options'
import {
  REQUESTS,
  type RequestOptions,
  requestSettings,
} from '../../../src/service/http/request-settings'

export function requestSettingsOf(options: RequestOptions) {
  return requestSettings(readOptions(options, REQUESTS))
}
