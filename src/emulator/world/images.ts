// Addresses of images. An item shows the image of its look (its value of the first axis), then
// images that the whole model shares; a group shows one image of each look, then the shared ones.

import { DRAW } from './draws'
import { mix, opaque } from './hash'
import type { Model } from './models'
import { axisValue, firstOfEachLook } from './variations'

const SHARED = 1_000

export function itemImage(model: Model, position: number): string {
  return address(model, axisValue(model, 0, position))
}

export function itemAdditionalImages(model: Model): string {
  return sharedImages(model).join('|')
}

export function groupAdditionalImages(model: Model, positions: number): string {
  const [, ...looks] = firstOfEachLook(model, positions)
  return [...looks.map(position => itemImage(model, position)), ...sharedImages(model)].join('|')
}

export function imageAlteringProhibited({ key }: Model): string {
  return mix(key, DRAW.imageFlag) % 10 === 0 ? 'true' : 'false'
}

function sharedImages(model: Model): string[] {
  return Array.from({ length: mix(model.key, DRAW.groupImages) % 4 }, (_, i) =>
    address(model, SHARED + i),
  )
}

function address({ key }: Model, number: number): string {
  return `https://i.img.example/images/g/${opaque(mix(mix(key, DRAW.image), number), 4)}/s-l1600.jpg`
}
