// Follows the redirects of a GET. A request carries credentials, so it stays within its origin, unless
// it asks for a file: buckets and networks of caches serve files from other origins, to which a
// signature in the address is the only credential. Such a redirect is followed without the headers of
// the caller, never from https to http, and never from a public address to one of this machine or its
// network, which is how a foreign server would have a client read what only the client can reach.

import type { LookupAddress } from 'node:dns'
import type { BlockList } from 'node:net'
import type { RangeRequest, RangeResponse, RequestHeaders } from '../../engine/index'
import { FeedError, is, printableUrl, requestUrl, sendableHeaders } from '../../engine/index'
import { type NodeRequest, originRefused, sameOriginUrl } from './http-transport'

/** The limit of redirects of one request. */
const MAX_HOPS = 5

/** Statuses whose Location header is the new address of the resource (RFC 9110, 15.4). */
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** The headers that say which bytes are asked for: all that another origin is told. */
const OF_THE_RANGE = /^(?:range|accept-encoding)$/i

export interface Hop {
  readonly url: URL
  readonly headers: RequestHeaders
  /** The addresses that were checked: the connection has to go to one of them. */
  readonly addresses?: readonly LookupAddress[]
}

/**
 * Sends a request by `sendOnce` and follows its redirects. Those of any other method than GET are not
 * followed, because the service would receive it twice. Followed responses are discarded. Throws
 * HTTP_ORIGIN_REFUSED, HTTP_REDIRECT_LOOP, and OPTION_INVALID for an invalid URL.
 */
export async function followRedirects(
  request: NodeRequest,
  sendOnce: (hop: Hop) => Promise<RangeResponse>,
): Promise<RangeResponse> {
  const headers = sendableHeaders(is.anObject('request', request).headers)
  let hop: Hop = { url: requestUrl('url', request.url), headers }
  if ((request.method ?? 'GET') !== 'GET') return sendOnce(hop)
  for (let hops = 0; hops <= MAX_HOPS; hops++) {
    const response = await sendOnce(hop)
    const location = REDIRECT_STATUSES.has(response.status)
      ? response.header('location')
      : undefined
    if (location === undefined)
      return hop.headers === headers ? response : Object.assign(response, { url: hop.url.href })
    response.discard()
    hop = await nextHop(hop, location, request.redirectOrigins)
  }
  const message = `the request was redirected more than ${MAX_HOPS} times: check the address`
  const context = { url: printableUrl(request.url), hops: MAX_HOPS }
  throw new FeedError('HTTP_REDIRECT_LOOP', message, context)
}

async function nextHop(
  at: Hop,
  location: string,
  allowed: RangeRequest['redirectOrigins'] = [],
): Promise<Hop> {
  const { url: from } = at
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined
  const isNamed = allowed !== 'public' && to !== undefined && allowed.includes(to.origin)
  const isHttp = to && /^https?:$/.test(to.protocol) && to.username === '' && to.password === ''
  if (!isHttp || to.origin === from.origin || !(isNamed || allowed === 'public'))
    return { ...at, url: sameOriginUrl(from, location) }
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw originRefused(
      from,
      to,
      'the redirect leads from https to http, where anybody can read it',
    )
  const headers = Object.fromEntries(
    Object.entries(at.headers).filter(([name]) => OF_THE_RANGE.test(name)),
  )
  if (isNamed) return { url: to, headers }
  const [addresses, inner] = await Promise.all([addressesOf(to), innerAddresses()])
  const isInner = ({ address, family }: LookupAddress) => inner.check(address, `ipv${family as 4}`)
  if (!addresses.some(isInner)) return { url: to, headers, addresses }
  const own = await addressesOf(from)
  if (own.length > 0 && own.every(isInner)) return { url: to, headers, addresses }
  const way = `name ${to.origin} in redirectOrigins if it is yours`
  const reason = `the redirect leads from a public address into this machine or its network: ${way}`
  throw originRefused(from, to, reason)
}

/** Returns none for a host that is not known here, but perhaps to a proxy. */
async function addressesOf({ hostname }: URL): Promise<readonly LookupAddress[]> {
  const { lookup } = await import('node:dns/promises')
  const host = hostname.replace(/^\[|\]$/g, '')
  return lookup(host, { all: true }).catch(() => [])
}

/** The addresses that are not public (RFC 6890), also as a gateway to IPv4 writes them (RFC 6052). */
const INNER_V4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16 198.18.0.0/15'
const INNER_V6 = '::/127 fc00::/7 fe80::/10'

async function innerAddresses(): Promise<BlockList> {
  const inner = new (await import('node:net')).BlockList()
  for (const subnet of INNER_V4.split(' ')) {
    const [net = '', bits] = subnet.split('/')
    inner.addSubnet(net, Number(bits), 'ipv4')
    inner.addSubnet(`64:ff9b::${net}`, 96 + Number(bits), 'ipv6')
  }
  for (const subnet of INNER_V6.split(' ')) {
    const [net = '', bits] = subnet.split('/')
    inner.addSubnet(net, Number(bits), 'ipv6')
  }
  return inner
}
