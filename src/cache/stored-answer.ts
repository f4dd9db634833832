import { z } from 'zod';
import type { CardRecord } from '../model/card.ts';

/** An answer as stores keep it. Rows of an older shape do not fit, and count as a miss. */
export const StoredAnswer = z
  .object({
    card: z
      .object({
        id: z.string(),
        name: z.string(),
        game: z.string(),
        set: z.object({ id: z.string(), name: z.string() }),
        number: z.string().optional(),
        rarity: z.string().optional(),
        imageUrl: z.string().optional(),
        prices: z
          .object({ market: z.number().optional(), low: z.number().optional(), high: z.number().optional() })
          .optional(),
      })
      .optional(),
    fetchedAtMs: z.number(),
    delistedAtMs: z.number().optional(),
  })
  .transform(({ card, ...rest }): CardRecord => ({ card, ...rest }));
