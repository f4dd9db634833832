import { z } from 'zod';
import { orUndefined } from '../model/card.ts';
import { idFault } from '../model/card-id.ts';
import { alsoOf, type CatalogCard, lineOf, releasedOf } from './catalog-card.ts';

const line = z.string().transform(lineOf);
const optionalLine = orUndefined(line.transform((text) => text || undefined)).optional();

/** A card as another process shared it. Not beside its type: the thread that searches reads none, and zod takes a third of its start. */
export const SharedCard: z.ZodType<CatalogCard> = z.object({
  id: z
    .string()
    .trim()
    .refine((id) => !idFault(id), 'not a card id'),
  name: line.refine((text) => text !== '', 'empty'),
  set: optionalLine,
  number: optionalLine,
  game: optionalLine,
  also: orUndefined(z.array(z.string()).transform(alsoOf)).optional(),
  released: orUndefined(z.string().transform(releasedOf)).optional(),
});
