import { SAMPLE_CATALOG } from '../../sandbox/sample-cards.ts';
import { type Row, scenes } from '../support/scene-script.ts';

const HOUR_MS = 3_600_000;

scenes([
  [
    'a card that the service denies is kept as another process has stored it last, and is no longer listed',
    {},
    `base1-4 is named Older Drake; card base1-4; until its end; shows; +8 h;
      another process has base1-4 of 7 h ago; service denies base1-4; card base1-4; until its end; +2 s; shows;
      reads \nNo longer; restart; card base1-4; until its end; shows; described as 2; requests`,
    'Older Drake | Emberwing Drake | yes | Emberwing Drake | yes | 2',
  ],
  [
    'what the service brings is offered to who types its name; what it denies is not, unless a copy is kept: behind its other printings',
    {
      catalog: SAMPLE_CATALOG.filter(({ id }) => id !== 'base1-2'),
      known: [{ id: 'base1-4', ageMs: 7 * HOUR_MS }],
    },
    `+1 s; service denies /base1-4?; service denies /base1-1?; card base1-4; until its end; card base1-1;
      until its end; shows No card has; card base1-2; until its end; +2 s; suggested for wick who to bob in a DM;
      suggested for moth carto to bob in a DM; suggested for emberwing dr to bob in a DM`,
    'yes | dusk2-88 | base1-2 | dusk2-44 promo-7 base1-4',
  ],
  [
    'a copy that is old here costs no request where another process has renewed it',
    {},
    `card base1-4; until its end; +7 h; another process has base1-4 of 1 h ago; card base1-4; until its end;
      lacks saved copy; requests`,
    'yes | 1',
  ],
  [
    'a card that the service has just failed to bring is waited for by who asks meanwhile',
    {},
    'service says 503 to base1-4; card base1-4; +500 ms; card base1-4; until its end; shows of 1; shows',
    'Emberwing Drake | Emberwing Drake',
  ],
  ...Object.entries({
    'two ids are not known': 'no-1 no-2',
    'one id is denied every hour': 'no-1 no-1 no-1 no-1',
    'a card was found before': 'base1-1 no-1 no-2 no-3',
    'a card was found between': 'no-1 no-2 base1-1 no-3',
    'a card was known before': 'base1-4 no-1 no-2 no-3',
  }).map(
    ([where, ids]): Row => [
      `an address is not suspected where ${where}`,
      { known: [{ id: 'base1-4', ageMs: 0 }] },
      [...ids.split(' ').map((id) => `card ${id}; until its end; +60 min`), 'warnings'].join('; '),
      '0',
    ],
  ),
]);
