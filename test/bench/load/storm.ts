import { setTimeout as sleep } from 'node:timers/promises';
import { startCardService } from '../../../src/sandbox/card-service.ts';
import type { ChatMessage } from '../../../src/sandbox/discord/chat.ts';
import { SAMPLE_CARDS, type ServiceCard } from '../../../src/sandbox/sample-cards.ts';
import type { LoadRow } from './load-row.ts';
import { ProbedBot } from './probed-bot.ts';
import { steady } from './steady.ts';

const SECONDS = 60;
const COMMANDS = 5_000;
const MEMBERS = 500;
/** Every member must see a card or a time by then: Discord's own limit for a first answer. */
const SOON_MS = 3_000;
/** As many as get a permit within the longest wait of 300 s: the burst, and ten a minute. */
const MOST_WAITING = 20 + 50;

type Shown = 'card' | 'wait' | 'sentence';

/** Far more lookups than the Free plan allows. @param scale of the time and of the cards */
export async function storm(scale: number): Promise<LoadRow> {
  const seconds = SECONDS * scale;
  const commands = Math.round(COMMANDS * scale);
  const service = await startCardService({
    plan: 'free',
    cards: Array.from({ length: commands }, (_, index) => card(index)),
  });
  const bot = await ProbedBot.start({ serviceUrl: service.url, members: MEMBERS });
  try {
    const shown: Record<Shown, number> = { card: 0, wait: 0, sentence: 0 };
    const counted = new Set<string>();
    bot.discord.onMessage((message) => {
      const what = shownBy(message);
      if (!what || counted.has(message.interactionId) || Date.now() - message.typedAtMs > SOON_MS) return;
      counted.add(message.interactionId);
      shown[what]++;
    });
    await bot.ask('begin');
    const resident: number[] = [];
    await steady(commands, seconds, (index) => {
      const memberId = bot.members[index % MEMBERS]?.id ?? '';
      const { id } = card(index);
      bot.discord.type({
        command: 'card',
        options: { id },
        memberId,
        guildId: bot.discord.guilds[index % 2]?.id ?? null,
      });
      if (index % Math.ceil(commands / 20) !== 0) return;
      resident.push(bot.residentMegabytes);
    });
    await sleep(SOON_MS);
    const measure = await bot.ask('measure');
    const residentAtEnd = bot.residentMegabytes;
    await bot.end();
    const deferredReplies = bot.rows('deferred_replies');
    const refused = service.counts.byStatus[429] ?? 0;
    const uninformed = commands - counted.size;
    return {
      name: `${COMMANDS.toLocaleString('en')} different cards a minute, Free plan`,
      commands,
      seconds,
      ...measure,
      residentMegabytes: [resident[3] ?? 0, resident[9] ?? 0, residentAtEnd],
      verdicts: [
        {
          claim: `members with neither a card nor a time after ${SOON_MS / 1_000} s: 0 (${uninformed})`,
          reached: uninformed === 0,
        },
        { claim: `requests above the plan: 0 (${refused} of ${service.counts.total})`, reached: refused === 0 },
        {
          claim: `at most ${MOST_WAITING} deferred replies in the end (${deferredReplies})`,
          reached: deferredReplies <= MOST_WAITING,
        },
      ],
      note: `The storm: ${MEMBERS} members; ${shown.card} had a card within ${SOON_MS / 1_000} s, ${shown.wait} the time of their permit and ${shown.sentence} a sentence with a time.`,
    };
  } finally {
    await bot.stop();
    await service.close();
  }
}

/** `undefined` unless the member sees a card or a time. */
function shownBy({ state, embeds, content }: ChatMessage): Shown | undefined {
  if (state !== 'answered') return undefined;
  if (embeds.length > 0) return 'card';
  if (!content.includes('<t:')) return undefined;
  return content.startsWith("You're in line") ? 'wait' : 'sentence';
}

function card(index: number): ServiceCard {
  const model = SAMPLE_CARDS[index % SAMPLE_CARDS.length];
  if (!model) throw new RangeError('no sample cards');
  return { ...model, id: `storm-${index}` };
}
