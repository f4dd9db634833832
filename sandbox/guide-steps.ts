import { setTimeout as sleep } from 'node:timers/promises';
import type { Bot } from './bot.ts';
import type { Member } from './discord/chat.ts';
import type { EmulatedDiscord, TypedInteraction } from './discord/emulated-discord.ts';
import { KNOWN_CARDS } from './known-cards.ts';
import type { EmbeddedCardService, SeenRequest } from './service/service.ts';

/** What a step works with. */
export interface Scene {
  discord: EmulatedDiscord;
  cardService: EmbeddedCardService;
  bot: Pick<Bot, 'start' | 'end'>;
  /** The id of a card that nobody has asked for, another at each call. */
  unknownCard(): string;
  /** Resolves when these commands have ended, as the bot's log says. */
  ended(...typed: readonly TypedInteraction[]): Promise<void>;
  /** How long the service refuses everything in the step of that. */
  stormMs: number;
  /** Aborted when another step or a reset ends this one. */
  signal: AbortSignal;
}

export interface Step {
  id: string;
  title: string;
  /** The beginning of the title, so that all buttons fit one row. */
  button: string;
  /** What to watch while it runs. */
  watch: string;
  /** What Alice sees of it is in her direct messages. */
  inDirectMessages?: true;
  /** @returns what happened, in figures */
  run(scene: Scene): Promise<string>;
}

const CROWD = 30;
const CROWDED_CARDS = 3;
const CROWD_WITHIN_MS = 600;
export const STORM_MS = 8_000;
const SLOW_MS = 4_000;
/** A card of `KNOWN_CARDS`, and a price between that of the start and the moved one. */
const WATCHED = { card: 'base1-4', above: 38 };
const RISE_PERCENT = 10;
/** The watch is seen before its message comes. */
const WATCHED_MS = 1_000;
/** The bot stays away for so long, so that the page shows that it is gone. */
const GONE_MS = 2_000;
const LOOK_AGAIN_MS = 100;

/** Each begins with everything as at the start. The first member is Alice, the second Björn. */
export const STEPS: readonly Step[] = [
  {
    id: 'find',
    title: 'Find a card by name',
    button: 'Find a card',
    watch:
      'Alice types “ember” and picks a card, then Björn, whose Discord is German, asks for the same one. Watch the requests.',
    async run(scene) {
      const requests = requestsFromNow(scene);
      const found = await foundCards(scene.discord, scene.signal);
      const forNames = requests().length;
      const id = found.find((each) => !KNOWN_CARDS.some((known) => known.id === each)) ?? '';
      await scene.ended(ask(scene, 0, id));
      const forAlice = requests().length - forNames;
      await scene.ended(askAs(scene, scene.discord.members[1], id));
      const forBjorn = requests().length - forNames - forAlice;
      return `“ember” found ${count(found.length, 'card')} with ${count(forNames, 'request')}. The card itself took ${count(forAlice, 'request')} for Alice, and ${forBjorn} for Björn.`;
    },
  },
  {
    id: 'crowd',
    title: 'Thirty ask at once',
    button: 'Thirty ask',
    watch: `Thirty members ask within ${CROWD_WITHIN_MS / 1_000} s, ten for each of three new cards. Watch the requests.`,
    async run(scene) {
      const requests = requestsFromNow(scene);
      const ids = Array.from({ length: CROWDED_CARDS }, () => scene.unknownCard());
      const typed: TypedInteraction[] = [];
      while (typed.length < CROWD) {
        typed.push(ask(scene, typed.length, ids[typed.length % ids.length] ?? ''));
        await sleep(CROWD_WITHIN_MS / CROWD, undefined, { signal: scene.signal });
      }
      await scene.ended(...typed);
      return `${count(CROWD, 'member')} asked, ${withCard(typed)} got their card, and the card service received ${count(requests().length, 'request')}.`;
    },
  },
  {
    id: 'refused',
    title: 'The service says 429',
    button: 'The service says 429',
    watch: `The service refuses everything for ${STORM_MS / 1_000} s, and three members ask. Watch the requests: after the first 429, none arrives until the time is up.`,
    async run(scene) {
      const { stormMs } = scene;
      const requests = requestsFromNow(scene);
      scene.cardService.storm(stormMs);
      const typed = [0, 1, 2].map((member) => ask(scene, member, scene.unknownCard()));
      await scene.ended(...typed);
      const refused = requests().filter(({ status }) => status === 429).length;
      const answers = requests().filter(({ status }) => status !== 429);
      const isShared = answers.some(({ cardIds }) => (cardIds?.length ?? 0) > 1);
      const why = isShared ? ': cards that waited together left as one list, which counts as one request' : '';
      return `${count(refused, 'request')} got a 429 that said to wait ${stormMs / 1_000} s, and ${Math.max(0, refused - 1)} more arrived in that time. Then ${count(answers.length, 'request')} answered ${withCard(typed)} of ${count(typed.length, 'member')}${why}.`;
    },
  },
  {
    id: 'day',
    title: 'The day runs out',
    button: 'The day runs out',
    watch: "The service's day is used up. Watch what known and new cards get, and that the service is left alone.",
    async run(scene) {
      const known = scene.unknownCard();
      await scene.ended(ask(scene, 0, known));
      scene.cardService.exhaustDay();
      const requests = requestsFromNow(scene);
      await scene.ended(ask(scene, 1, scene.unknownCard()));
      const forFirst = requests().length;
      const again = ask(scene, 2, known);
      await scene.ended(again);
      // Alice is the last, because she sees no refusal but her own, which is in view then
      const others = [3, 4, 5, 6, 0].map((member) => ask(scene, member, scene.unknownCard()));
      await scene.ended(...others);
      const forOthers = requests().length - forFirst;
      const told = others.filter(({ message }) => message.state === 'answered').length - withCard(others);
      return `${count(forFirst, 'request')} found the day used up. ${count(withCard([again]), 'known card')} still appeared, and ${told} of ${others.length} members who asked for new ones were told when to come back, with ${count(forOthers, 'request')}. The day stays used up until you press another button.`;
    },
  },
  {
    id: 'kill',
    title: 'Kill the bot while members wait',
    button: 'Kill the bot',
    watch: `The service takes ${SLOW_MS / 1_000} s, three members wait, and the bot's process gets a SIGKILL. Watch their replies.`,
    async run(scene) {
      const { cardService, bot, signal } = scene;
      const requests = requestsFromNow(scene);
      cardService.set({ latencyMs: SLOW_MS });
      const typed = [0, 1, 2].map((member) => ask(scene, member, scene.unknownCard()));
      await Promise.all(typed.map((each) => each.until(({ state }) => state !== 'sent')));
      signal.throwIfAborted();
      const waiting = typed.filter(({ message }) => message.state === 'thinking').length;
      await bot.end('SIGKILL');
      const killedAtMs = Date.now();
      cardService.set({ latencyMs: 0 });
      await sleep(GONE_MS, undefined, { signal });
      await bot.start();
      const goneMs = Date.now() - killedAtMs;
      await scene.ended(...typed);
      return `${count(waiting, 'reply', 'replies')} said “thinking…” when the bot was killed. It was back after ${(goneMs / 1_000).toFixed(1)} s, and ${withCard(typed)} of ${typed.length} got their cards, with ${count(requests().length, 'request')} in all.`;
    },
  },
  {
    id: 'watch',
    title: 'A price moves',
    button: 'A price moves',
    inDirectMessages: true,
    watch: `Alice watches a card. Its price rises by ${RISE_PERCENT} %, and Amara looks it up in a server. Watch what she is sent.`,
    async run(scene) {
      const { discord, cardService, signal } = scene;
      const memberId = discord.members[0]?.id ?? '';
      const requests = requestsFromNow(scene);
      await discord.type({ command: 'watch', options: WATCHED, memberId, guildId: null }).settled();
      const forWatch = requests().length;
      await sleep(WATCHED_MS, undefined, { signal });
      cardService.set({ pricePercent: RISE_PERCENT });
      await scene.ended(ask(scene, 1, WATCHED.card));
      const isTold = () =>
        discord.messages().some(({ trigger, member }) => trigger === 'message' && member.id === memberId);
      while (!isTold()) await sleep(LOOK_AGAIN_MS, undefined, { signal });
      return `The watch took ${count(forWatch, 'request')}. Amara's lookup renewed the card with ${count(requests().length - forWatch, 'request')}, its price had crossed Alice's line, and the bot wrote to her.`;
    },
  },
];

/** The ids that a bot finds by a part of a name, as soon as it can search: one that has just started may not. */
export async function foundCards(discord: EmulatedDiscord, signal: AbortSignal): Promise<string[]> {
  for (;;) {
    const typed = { command: 'card', options: { id: 'ember' }, focused: 'id' };
    const found = await discord.complete(typed).catch(() => []);
    if (found.length > 0) return found.map(({ value }) => String(value));
    await sleep(LOOK_AGAIN_MS, undefined, { signal });
  }
}

/** @param member the index among those who read the page's language, the first of whom is Alice */
function ask(scene: Scene, member: number, id: string): TypedInteraction {
  return askAs(scene, scene.discord.members.filter(({ locale }) => locale.startsWith('en'))[member], id);
}

function askAs({ discord }: Scene, member: Member | undefined, id: string): TypedInteraction {
  return discord.type({ command: 'card', options: { id }, memberId: member?.id ?? '' });
}

/** @returns those that have arrived since then; of more than the service keeps, the last */
function requestsFromNow({ cardService }: Scene): () => readonly SeenRequest[] {
  const { total } = cardService.counts;
  return () => cardService.requests.slice(cardService.requests.length - (cardService.counts.total - total));
}

function withCard(typed: readonly TypedInteraction[]): number {
  return typed.filter(({ message }) => message.embeds.length > 0).length;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
