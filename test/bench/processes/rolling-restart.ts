import { setTimeout as sleep } from 'node:timers/promises';
import type { EmulatedDiscord } from '../../../src/sandbox/discord/emulated-discord.ts';
import { DISCORD_LIFETIMES } from '../../../src/sandbox/discord/interaction.ts';
import type { TypedInteraction } from '../../../src/sandbox/discord/typed-interaction.ts';
import { Bots } from '../../chaos/bots.ts';
import { watchMilestones } from '../../chaos/milestones.ts';
import { type Ending, endingOf, isFinal } from '../../chaos/outcome.ts';
import { serverOfShard, startBackends } from '../../support/backends.ts';
import { MEMBERS } from '../measured-bot.ts';
import { count } from '../quota/format.ts';
import type { BenchRedis } from './bench-redis.ts';
import { type FigurePart, rowFor } from './figure-part.ts';

const SIZE = 4;
const PACE = { requestsPerMinute: 600, burst: 20 };
/** All for different cards: 2 more than the pace allows, so that replies stay deferred at every restart. */
const COMMANDS_A_SECOND = 12;
const CARDS = Array.from({ length: 5_000 }, (_, index) => {
  return { id: `card-${index}`, name: `Card ${index}`, tcg: 'Lanternfolk', set: { id: 'bench', name: 'Benchmark' } };
});
const SERVERS = Array.from({ length: SIZE }, (_, shard) => serverOfShard(shard));
const BETWEEN_RESTARTS_MS = 2_000;
const PATIENCE_MS = 60_000;

type Endings = Partial<Record<Ending, number>>;

/** Every process is stopped and started again in turn, while commands go on. */
export async function rollingRestart(redis: BenchRedis): Promise<FigurePart> {
  const { discord, cardService, env } = await startBackends(
    { plan: 'business', ...PACE, cards: CARDS },
    { ...redis.newVariables(), CARD_SERVICE_PLAN: 'business', DISCORD_SHARD_COUNT: String(SIZE) },
    { shards: SIZE, guilds: SERVERS, members: MEMBERS, lifetimes: DISCORD_LIFETIMES },
  );
  const bots = new Bots(SERVERS.map((_, shard) => ({ ...env, DISCORD_SHARDS: String(shard) })));
  await bots.ready();
  const endings = await restartAll(bots, discord);
  await bots.stop();
  return part(endings, cardService.counts.byStatus[429] ?? 0);
}

/** @returns how the commands ended that were typed meanwhile */
async function restartAll(bots: Bots, discord: EmulatedDiscord): Promise<Endings> {
  const milestones = watchMilestones(discord);
  const typed: { shard: number; command: TypedInteraction }[] = [];
  const timer = setInterval(() => {
    const [index, shard] = [typed.length, typed.length % SIZE];
    const as = { guildId: SERVERS[shard]?.id ?? null, memberId: MEMBERS[index % MEMBERS.length]?.id ?? '' };
    typed.push({ shard, command: discord.type({ command: 'card', options: { id: `card-${index}` }, ...as }) });
  }, 1_000 / COMMANDS_A_SECOND);
  for (let process = 0; process < SIZE; process++) {
    await sleep(BETWEEN_RESTARTS_MS);
    await bots.restart(process, 'SIGTERM');
  }
  await sleep(BETWEEN_RESTARTS_MS);
  clearInterval(timer);
  const giveUpAtMs = Date.now() + PATIENCE_MS;
  while (Date.now() < giveUpAtMs && !typed.every(({ command }) => isFinal(command.message))) await sleep(50);

  const endings: Endings = {};
  for (const { shard, command } of typed) {
    const ends = bots.gaps.filter(({ process }) => process === shard);
    const ending = endingOf(command, milestones(command.id), { ends, allEnds: bots.gaps, outages: [], partitions: [] });
    endings[ending] = (endings[ending] ?? 0) + 1;
  }
  return endings;
}

function part(endings: Endings, refused: number): FigurePart {
  const { card = 0, sentence = 0, 'not received': notReceived = 0, 'completed again': again = 0 } = endings;
  const { lost = 0, twice = 0 } = endings;
  const received = card + sentence + again + lost + twice;
  return {
    rows: [
      rowFor(SIZE, 'rolling restart: lost, of the commands received', `${count(lost)} of ${count(received)}`),
      rowFor(SIZE, 'rolling restart: refused (429)', count(refused)),
    ],
    verdicts: [
      { claim: `no command lost in a rolling restart (${lost} of ${received})`, reached: lost === 0 },
      { claim: `none answered twice in a rolling restart (${twice})`, reached: twice === 0 },
      { claim: `all of them answered with their card (${card})`, reached: card === received, timing: true },
      { claim: `0 answers 429 in a rolling restart (${refused})`, reached: refused === 0 },
    ],
    notes: [
      `Rolling restart: each of ${SIZE} processes in turn gets SIGTERM and is started again, while members type ${COMMANDS_A_SECOND} commands a second for different cards, ${PACE.requestsPerMinute / 60} requests a second. ${count(notReceived)} more were typed in the servers of a shard that was just starting: Discord has nobody to give them to.`,
    ],
  };
}
