// Cells that the types of the item feed refuse, one for each column that can refuse any. A file of
// its own: the processes that measure need nothing else of the shapes.

export const BAD_CELLS: Readonly<Record<string, string>> = {
  priceValue: '12,50',
  itemEndDate: '2026-02-30T10:00:00.000Z',
  localizedAspects: 'Size:12',
  imageAlteringProhibited: 'yes',
  estimatedAvailableQuantity: '12.5',
  returnsAccepted: 'no',
  returnPeriodValue: 'x30',
  conditionDescriptors: 'Grade:A',
  shipToIncludedRegions: 'EUROPE|ASIA',
}
