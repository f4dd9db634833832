import { expect } from 'vitest';
import { played } from '../support/limiter-script.ts';
import { begun, SCENE_STEPS, scenes } from '../support/scene-script.ts';
import { hasCard, inWorld, statuses } from '../support/world.ts';

inWorld(
  'the picture of the day comes with the reply and its corrections, with an alt text, and replaces the one before',
  async (world) => {
    world.cardService.set({ latencyMs: 2_000 });
    await world.card('base1-4').until(hasCard);

    const typed = world.usage();
    const first = await typed.settled();
    const second = await typed.until(({ edited }) => edited);

    for (const { embeds } of [first, second]) {
      expect(embeds[0]?.image).toMatchObject({
        url: expect.stringMatching(/\/attachments\/.*\/day\.png$/),
        width: 720,
      });
      const picture = await world.discord.answer(new Request(embeds[0]?.image?.url ?? ''));
      expect(picture.headers.get('content-type')).toBe('image/png');
      expect(picture.headers.get('content-security-policy')).toBe('sandbox');
    }
    expect(second.attachments).toHaveLength(0); // shown in the embed, and not once more
    expect(second.embeds[0]?.image?.url).not.toBe(first.embeds[0]?.image?.url);
  },
);

const NONE = 'shows No card has the id';
const USED_UP = "shows Today's new lookups are used up.";

scenes([
  [
    'budgets keep all foreign places together, and one server, from spending more than theirs, and /usage says how much that was',
    { env: { USER_INSTALL_DAILY_REQUESTS: '2', GUILD_DAILY_REQUESTS: '1' } },
    `card base1-1 in a group; until its end; bob: card base1-2 in a foreign server; until its end;
      card base1-3 for a user; until its end;
      shows Outside servers that added me, everyone shares 2 new lookups a day. Today's are used up. Cards I already;
      card base1-1 in a foreign server; until its end; how many cards; card base1-3; until its end; how many cards;
      card base1-4; until its end; shows This server has used its one new lookup for today.;
      card base1-4 elsewhere; until its end; how many cards; usage; until its end;
      reads Today outside servers that added me: 2 of 2 new lookups · 1 answered from memory`,
    'yes | 1 | 1 | yes | 1 | yes',
  ],
  [
    'what the service has stated to remain goes down with each request until it is stated again; at 0 nothing leaves, which members and /usage say',
    { env: { CARD_SERVICE_API_KEY: undefined } },
    `service has no card and states 3; service has no card and states nothing x 99; card a-1; until its end;
      card a-2; until its end; usage; until its end; reads 998 of 1,000 used, 2 left; card a-3; until its end; ${NONE};
      card a-4; until its end; ${NONE}; card a-5; until its end; ${USED_UP}; requests; usage; until its end;
      reads \nToday's requests are used up until; reads 1,000 of 1,000 used, 0 left`,
    'yes | yes | yes | yes | 4 | yes | yes',
  ],
  [
    '/usage shows the figures of the headers without an API key, and what is missing',
    { env: { CARD_SERVICE_API_KEY: undefined } },
    `card base1-4; until its end; /usage; until its end; reads \nThe plan report needs an API key.; lacks Plan:;
      reads 1 of 1,000 used, 999 left; requests`,
    'yes | yes | yes | 1',
  ],
  [
    'a report that is under way when the bot stops is given up, and the reply says so',
    {},
    "service takes 8 s; /usage; until its end; stop; reads I couldn't get the plan report.; log stopped before everything was done",
    'yes | 0',
  ],
]);

inWorld('what the service has stated to remain is what a usage report says, too', async (world) => {
  const unstated = {
    'x-ratelimit-limit': undefined,
    'x-ratelimit-reset': undefined,
    'x-ratelimit-remaining': undefined,
  };
  const report = { plan: 'free', requests: { limit: 1_000, remaining: 1 } };
  world.cardService.script({ path: '/v1/usage', headers: unstated, body: report });
  const told = `reads 999 of 1,000 used, 1 left; service has no card and states nothing x 99; card a-1; until its end;
    ${NONE}; card a-2; until its end; ${USED_UP}`;
  expect(await played(begun(world), `usage; until its end; ${told}`, SCENE_STEPS)).toBe('yes | yes | yes');
  expect(statuses(world)).toEqual([200, 404]);
});
