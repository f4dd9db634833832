import { Card } from '../model/card.ts';

/** A card as the service sends it: as the model has it, but for the names that are the service's own. */
export const CardAnswer = Card.omit({ game: true })
  .extend({ tcg: Card.shape.game })
  .transform(({ tcg, ...card }): Card => ({ ...card, game: tcg }));
