import { beforeAll, describe, expect, it } from 'vitest';
import type { Whereabouts } from '../../sandbox/discord/chat.ts';
import { DEFAULT_WORLD } from '../../sandbox/discord/emulated-discord.ts';
import { SAMPLE_CATALOG } from '../../sandbox/sample-cards.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { typeLine } from '../screenshots/stage.ts';
import { played, type Steps } from '../support/limiter-script.ts';
import { begun, SCENE_STEPS, type Scene } from '../support/scene-script.ts';
import { hasCard, IDS, isThinking, labels, startWorld, type World } from '../support/world.ts';

/** Who reads along: others of the place, nobody, or nobody because Discord shows every reply to its member alone. */
type Readers = 'others' | 'nobody' | 'nobody may';

const [FOREIGN = '', WITHOUT_EXTERNAL_APPS = ''] = DEFAULT_WORLD.foreignGuilds.map(({ id }) => id);
const PLACES: [place: string, at: Whereabouts, readers: Readers][] = [
  ['an installed server', {}, 'others'],
  ['direct messages with the bot', { guildId: null }, 'nobody'],
  ['those of a member who shares no server with it', { guildId: null, installedFor: 'user' }, 'nobody'],
  ['a foreign server', { guildId: FOREIGN }, 'others'],
  ['one without Use External Apps', { guildId: WITHOUT_EXTERNAL_APPS }, 'nobody may'],
  ['a group', { context: 2 }, 'others'],
];

const NAMED = { catalog: SAMPLE_CATALOG };

describe.each(PLACES)('in %s', (_, at, readers) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(NAMED);
  });

  const isPrivate = readers === 'nobody may';
  const STEPS: Steps<Scene> = [
    [/^(\/.+)$/, (scene, line) => void scene.typed.push(typeLine(scene, line, at))],
    [
      /^look up cards of (.+)$/,
      ({ discord, typed }, content) => {
        const target = discord.post({ content, ...at });
        typed.push(discord.type({ command: 'Look up cards', target, ...at }));
      },
    ],
    [
      /^is (private|public)$/,
      ({ typed }, how) => (typed.at(-1)?.message.ephemeral === (how === 'private' || isPrivate) ? 'yes' : how),
    ],
    ...SCENE_STEPS,
  ];

  /**
   * What the steps tell but `yes`. All replies are answered in place, and no call is the bot's own: it opens no channel
   * in a foreign place.
   */
  async function plays(script: string): Promise<string> {
    const before = [world.discord.requests.length, world.discord.messages().length];
    const told = await played(begun(world), script, STEPS);
    const calls = world.discord.requests.slice(before[0]).map(({ path }) => path);
    expect(calls.filter((path) => !/^\/api\/v10\/(interactions|webhooks)\//.test(path))).toEqual([]);
    const shown = world.discord.messages().slice(before[1]);
    expect(shown.filter(({ state, followUps = [] }) => state !== 'answered' || followUps.length > 0)).toEqual([]);
    return told.replaceAll(/yes(?: \| )?/g, '');
  }

  it('what is for members is offered, and what is for servers only in one that has the bot', async () => {
    const names = world.discord.commandsFor({ ...at, manageGuild: true }).map(({ name }) => name);
    const forMembers = ['card', 'cards', 'watch', 'watches', 'privacy'];
    const isInstalled = Object.keys(at).length === 0;
    expect(names).toEqual(isInstalled ? expect.arrayContaining([...forMembers, 'settings', 'usage']) : forMembers);
    expect(await world.suggested('wax g', at)).toEqual(['dusk2-33']);
  });

  const OWN = '/card id:wax golem private:true; until a card; is private';
  const ALL = '/card id:wax golem; until a card; is public';
  const refused = `bob uses Delete of 2; until its end; is private; reads ${formatMessage('de', 'notYoursToDelete')}; `;
  const othersPress = readers === 'others' ? refused : '';

  it.each<[rule: string, script: string, told: string]>([
    [
      'a card is shown, its other printings, and those of a name',
      `/card id:base1-4; until a card; is public; use Other printings of 1; until an answer; is private; choose promo-7;
        until a card; is public; /card id:travelling lamplighter; until an answer; use Next 25; until an answer;
        choose fair40-1; until a card; is public`,
      '',
    ],
    [
      'a public card is deleted, and a private one shown to everyone, where others can see it',
      isPrivate
        ? `${OWN}; buttons; ${ALL}; buttons`
        : `${OWN}; ${ALL}; use Show to everyone of 1; until a card; is public; ${othersPress}press Delete of 2;
            +1 s; gone 2`,
      isPrivate ? 'Watch, Other printings | Watch, Other printings' : '',
    ],
    [
      'ten cards are shown, and the one that a text means is chosen',
      `/cards ids:${IDS.slice(0, 10)}; until a card; +3 s; is public; how many cards;
        /cards ids:emberwing drake, wax golem; until its end; +3 s; is public;
        ${isPrivate ? '' : 'use Choose a card; until an answer; '}choose dusk2-44; until a card; is public`,
      '10 | ',
    ],
    [
      'the cards of a message are shown in private, a price is watched, and what is kept of that is deleted',
      `look up cards of Wax Golem for an Owl of Nine Windows?; until 2 cards; is private; /watch card:base1-4 below:3;
        until its end; is private; reads Emberwing Drake; /card id:base1-4; until a card; use Watch of 3; until a form;
        submit 99 and 3; until its end; is private; reads This replaces; /watches; until its end; how many cards;
        /privacy; until an answer; is private; use Delete my data; until an answer; is private; use Delete my data;
        until its end; is private; shows Done; /watches; until its end; reads \`/watch\``,
      '1 | ',
    ],
  ])('%s', async (_, script, told) => expect(await plays(script)).toBe(told));
});

it('deferred replies of all places are completed by the next process', async () => {
  const world = await startWorld(NAMED);
  const { cardService } = world;
  const tide = IDS.filter((id) => id.startsWith('tide-')); // asked for nowhere else
  cardService.set({ latencyMs: 60_000 });
  const typed = PLACES.map(([, at], index) => world.card(tide[index] ?? '', {}, at));
  const thinking = await Promise.all(typed.map((each) => each.until(isThinking)));
  const arePrivate = PLACES.map(([, , readers]) => readers === 'nobody may');
  expect(thinking.map(({ ephemeral }) => ephemeral)).toEqual(arePrivate);
  await world.stopBot();
  cardService.set({ latencyMs: 0 });
  await world.restartBot();

  const completed = await Promise.all(typed.map((each) => each.until(hasCard)));
  const always = ['Watch', 'Other printings'];
  expect(completed.map(labels)).toEqual(arePrivate.map((isPrivate) => (isPrivate ? always : [...always, 'Delete'])));
});
