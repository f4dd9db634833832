/** How the service lists several cards; the interface does not say. `none`: it does not. */
export const BULK_SHAPES = [
  'array',
  'by id',
  'data',
  'cards',
  'items',
  'results',
  'other order, repeats, a stranger',
  'ids in capitals',
  'some left out',
  'one broken card',
  'by id, with the cards of others',
  'the first page',
  'empty',
  'empty object',
  'empty, with an error',
  'an error for each id',
  'no list',
  'none',
] as const;
export type BulkShape = (typeof BULK_SHAPES)[number];

/** What it refuses to list, with its status. */
export const BULK_REFUSALS = [
  'nothing',
  'over 5 ids: 413',
  'over 5 ids: 400',
  'a missing card: 404',
  'every id: 401',
  'every id: 405',
  'every id: 500',
  'every id: a page, 404',
  'every id: a page, 200',
] as const;
export type BulkRefusal = (typeof BULK_REFUSALS)[number];

/** What it counts for a list: one request, or one for each card. */
export const BULK_COSTS = ['one', 'each'] as const;
