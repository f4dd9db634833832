import { SAMPLE_CATALOG } from '../../sandbox/sample-cards.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { scenes } from '../support/scene-script.ts';

/** Two servers; Chloe, who types, has her Discord in French. */
const WORLD = {
  catalog: SAMPLE_CATALOG,
  discord: {
    guilds: [
      { id: '1180000000000655361', name: 'Collectors' },
      { id: '1180000000004849665', name: 'Sammler', locale: 'de' },
    ],
  },
  env: { PRICE_CURRENCY: 'EUR' },
};
const CARD = 'chloe: card base1-4';
const IN_GERMAN = `${CARD} elsewhere; until its end; reads [${formatMessage('de', 'deleteReply')}]`;
const IN_FRENCH = `until its end; reads [${formatMessage('fr', 'deleteReply')}]`;
const MISSING = 'chloe: card base1-999 elsewhere; until its end';
const [NONE, IN_LIST] = [{ id: 'base1\\-999' }, { names: '**base1\\-998**' }];
const TWO_DOTS = formatMessage('fr', 'InvalidCardId', { reason: 'dotsOnly', maxLength: 100 });

scenes([
  [
    "a public reply speaks its server's language, with its numbers; the member's where the server chose none",
    WORLD,
    `${IN_GERMAN}; reads 36,33\u00a0€; ${CARD}; ${IN_FRENCH}; ${CARD} in a DM; ${IN_FRENCH}`,
    'yes | yes | yes | yes',
  ],
  [
    "a private reply speaks its member's language: a card, a refusal, and /privacy",
    WORLD,
    `${CARD} in private elsewhere; until its end; reads [${formatMessage('fr', 'showToEveryone')}];
      chloe: card .. elsewhere; until its end; shows; ${MISSING}; lacks Only you can see this; shows;
      ${MISSING}; reads Only you can see this; shows; chloe: privacy elsewhere; until its end;
      reads ${formatMessage('fr', 'privacyIntro')}`,
    // What is known to be missing was "thinking…" in public the first time.
    `yes | ${TWO_DOTS} | yes | ${formatMessage('de', 'noSuchCard', NONE)} | yes | ${formatMessage('fr', 'noSuchCard', NONE)} | yes`,
  ],
  [
    "a public list speaks its server's language, also of a card that does not exist",
    WORLD,
    `chloe: cards base1-4, base1-1, base1-998 elsewhere; until 2 cards; +2 s; how many cards;
      reads ${formatMessage('de', 'cardsNotFound', IN_LIST)}; lacks Only you can see this`,
    '2 | yes | yes',
  ],
  [
    'what /settings says comes first, and automatic is as before',
    WORLD,
    `chloe: settings elsewhere; until its end; choose en as a manager; until an answer; ${CARD} elsewhere; until its end;
      reads [${formatMessage('en', 'deleteReply')}]; choose automatic as a manager; until an answer; ${IN_GERMAN}`,
    'yes | yes',
  ],
  [
    "what Discord refuses is said in the reply's language",
    WORLD,
    'edit refused missingAccess; chloe: card base1-7 elsewhere; until its end; shows',
    formatMessage('de', 'broken'),
  ],
]);
