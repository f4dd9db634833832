import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ChatMessage, Whereabouts } from '../../sandbox/discord/chat.ts';
import { DEFAULT_WORLD } from '../../sandbox/discord/emulated-discord.ts';
import { SAMPLE_CATALOG } from '../../sandbox/sample-cards.ts';
import { SAMPLE_MEMBERS } from '../../sandbox/sample-members.ts';
import { choose, IDS, isThinking, labels, offered, press, startWorld, type World } from '../support/world.ts';

interface Place {
  place: string;
  at: Whereabouts;
  /** Commands for servers are offered there. */
  hasServerCommands?: true;
  /** Discord shows every reply to its member alone. */
  isPrivate?: true;
}

const [FOREIGN = '', WITHOUT_EXTERNAL_APPS = ''] = DEFAULT_WORLD.foreignGuilds.map(({ id }) => id);
const EVERYWHERE: readonly Place[] = [
  { place: 'an installed server', at: {}, hasServerCommands: true },
  { place: 'direct messages with the bot', at: { guildId: null } },
  { place: 'those of a member who shares no server with it', at: { guildId: null, installedFor: 'user' } },
  { place: 'a foreign server', at: { guildId: FOREIGN } },
  { place: 'one without Use External Apps', at: { guildId: WITHOUT_EXTERNAL_APPS }, isPrivate: true },
  { place: 'a group', at: { context: 2 } },
];
/** Each with a member of its own. */
const ENGLISH = SAMPLE_MEMBERS.filter(({ locale }) => locale === 'en-US').map(({ id }) => id);
const OTHER = ENGLISH.at(-1) ?? '';
const PLACES = EVERYWHERE.map((each, index) => ({ ...each, at: { ...each.at, memberId: ENGLISH[index] ?? '' } }));

const TEN = IDS.slice(0, 10);
const shows = (count: number) => (message: ChatMessage) =>
  message.state === 'answered' && message.embeds.length === count;

let world: World;
beforeAll(async () => {
  world = await startWorld({ catalog: SAMPLE_CATALOG, discord: { members: SAMPLE_MEMBERS } });
});

describe.each(PLACES)('in $place', ({ at, hasServerCommands = false, isPrivate = false }) => {
  const type = (command: string, options = {}) => world.type(command, options, at);
  const card = (id: string, options = {}) => world.card(id, options, at).until(shows(1));
  const shown = { ephemeral: isPrivate };
  let sentBefore: number;

  beforeEach(async () => {
    await offered(world, 'base1-4'); // after a restart the search begins again
    sentBefore = world.discord.requests.length;
  });

  afterEach(() => {
    const mine = world.discord.messages().filter(({ member }) => member.id === at.memberId);
    expect(mine.filter(({ state }) => state !== 'answered')).toEqual([]);
    expect(mine.filter(({ followUps = [] }) => followUps.length > 0)).toEqual([]);
    // All by the tokens of interactions: the bot's own opens no channel in a foreign place.
    const calls = world.discord.requests.slice(sentBefore).map(({ path }) => path);
    expect(calls.filter((path) => !/^\/api\/v10\/(interactions|webhooks)\//.test(path))).toEqual([]);
  });

  it('what is for members is offered, and what is for servers only in one that has the bot', async () => {
    const names = world.discord.commandsFor({ ...at, manageGuild: true }).map(({ name }) => name);
    const forMembers = ['card', 'cards', 'watch', 'watches', 'privacy'];
    expect(names).toEqual(
      hasServerCommands ? expect.arrayContaining([...forMembers, 'settings', 'usage']) : forMembers,
    );
    expect(await world.suggested('wax g', at)).toEqual(['dusk2-33']);
  });

  it('a card is shown, its other printings, and those of a name', async () => {
    const drake = await card('base1-4');
    expect(drake).toMatchObject(shown);
    const printings = await press(world, drake, 'Other printings').settled();
    expect(printings.ephemeral).toBe(true);
    expect(await choose(world, printings, 'promo-7').until(shows(1))).toMatchObject(shown);

    const several = await type('card', { id: 'travelling lamplighter' }).settled();
    await press(world, several, 'Next 25').settled();
    const next = world.discord.message(several.interactionId) ?? several;
    expect(await choose(world, next, 'fair40-1').until(shows(1))).toMatchObject(shown);
  });

  it('a public card is deleted, and a private one shown to everyone, where others can see it', async () => {
    const own = await card('wax golem', { private: true });
    const all = await card('wax golem');
    expect([own.ephemeral, labels(own).includes('Show to everyone')]).toEqual([true, !isPrivate]);
    expect([all.ephemeral, labels(all).includes('Delete')]).toEqual([isPrivate, !isPrivate]);
    if (isPrivate) return;

    expect(await press(world, own, 'Show to everyone').until(shows(1))).toMatchObject(shown);
    // Who has not installed the bot can press, too, where there are others.
    const refused = at.guildId !== null && (await press(world, all, 'Delete', OTHER).settled());
    if (refused) expect(refused).toMatchObject({ ephemeral: true, content: expect.stringContaining('Only whoever') });
    await press(world, all, 'Delete').settled();
    await expect.poll(() => world.discord.message(all.interactionId)).toMatchObject({ deleted: true });
  });

  it('ten cards are shown, and the one that a text means is chosen', async () => {
    expect(await type('cards', { ids: TEN.join() }).until(shows(10))).toMatchObject(shown);
    const typed = type('cards', { ids: 'emberwing drake, wax golem' });
    const list = await typed.until(({ components }) => components.length > 0);
    expect(list).toMatchObject(shown);
    const menu = isPrivate ? list : await press(world, list, 'Choose a card').settled();
    expect(await choose(world, menu, 'dusk2-44').until(shows(1))).toMatchObject(shown);
  });

  it('the cards of a message are shown in private, a price is watched, and what is kept of that is deleted', async () => {
    const { messageId } = world.discord.post({ content: 'Wax Golem for an Owl of Nine Windows?', ...at });
    const mentioned = world.discord.type({ command: 'Look up cards', target: { messageId }, ...at });
    expect(await mentioned.until(shows(2))).toMatchObject({ ephemeral: true });

    const watch = await type('watch', { card: 'base1-4', below: 3 }).settled();
    expect(watch).toMatchObject({ ephemeral: true, content: expect.stringContaining('Emberwing Drake') });
    const opened = press(world, await card('base1-4'), 'Watch').until(({ modal }) => modal !== undefined);
    const { interactionId } = await opened;
    const again = await world.discord.submit({ interactionId, values: { above: '99' } }).settled();
    expect(again).toMatchObject({ ephemeral: true, content: expect.stringContaining('This replaces') });
    expect((await type('watches').settled()).embeds).toHaveLength(1);

    const kept = await type('privacy').settled();
    const asked = await press(world, kept, 'Delete my data').settled();
    const forgotten = await press(world, asked, 'Delete my data').settled();
    expect(forgotten.content).toMatch(/^Done/);
    expect([kept, asked, forgotten].map(({ ephemeral }) => ephemeral)).toEqual([true, true, true]);
    expect((await type('watches').settled()).content).toContain('`/watch`');
  });
});

it('deferred replies of all places are completed by the next process', async () => {
  const { cardService } = world;
  const tide = IDS.filter((id) => id.startsWith('tide-')); // asked for nowhere else
  cardService.set({ latencyMs: 60_000 });
  const typed = PLACES.map(({ at }, index) => world.card(tide[index] ?? '', {}, at));
  const thinking = await Promise.all(typed.map((each) => each.until(isThinking)));
  expect(thinking.map(({ ephemeral }) => ephemeral)).toEqual(PLACES.map(({ isPrivate = false }) => isPrivate));
  await world.stopBot();
  cardService.set({ latencyMs: 0 });
  await world.restartBot();

  const completed = await Promise.all(typed.map((each) => each.until(shows(1))));
  expect(completed.map(labels)).toEqual(
    PLACES.map(({ isPrivate }) => (isPrivate ? ['Watch', 'Other printings'] : ['Watch', 'Other printings', 'Delete'])),
  );
});
