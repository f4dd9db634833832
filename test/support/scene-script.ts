import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Refusal } from '../../sandbox/discord/api-error.ts';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../sandbox/discord/conversation.ts';
import type { FaultyRoute, ScriptedFault } from '../../sandbox/discord/faults.ts';
import type { SandboxOptions } from '../../sandbox/sandbox.ts';
import { rateLimited, refused } from './fault-forms.ts';
import { msOf, played, type Steps } from './limiter-script.ts';
import { edits, field, hasCard, isFinal, isThinking, labels, press, said, startWorld, type World } from './world.ts';

/** A world, what was typed in it, and what was there when it was told last. */
interface Scene {
  world: World;
  typed: TypedInteraction[];
  before: { requests: number; edits: number; ends: number };
}

/** What is waited for; anything else is how a sentence begins. */
const AWAITED: Readonly<Record<string, (message: ChatMessage) => boolean>> = {
  'its end': isFinal,
  'a card': hasCard,
  'thinking…': isThinking,
  'a sentence': ({ content }) => content !== '',
};

/**
 * A scene in a line: steps with `; ` between them; what they told with ` | `. The first member types `card base1-4` and
 * presses `Delete` below the last reply that has it, or below the first, `of 1`. `edit close x 9`, `callback refused
 * unknownWebhook` and the like are what Discord's calls meet. `done` tells requests, edits and how commands ended since it
 * was told, or since `so far`.
 */
export async function scene(options: Omit<SandboxOptions, 'log'>, script: string): Promise<string> {
  const world = await startWorld(options);
  return await played({ world, typed: [], before: { requests: 0, edits: 0, ends: 0 } }, script, STEPS);
}

const STEPS: Steps<Scene> = [
  [
    /^(\S+) (close|hang|lose answer)(?: x (\d+))?$/,
    ({ world }, route, answer, times) => fails(world, { route, answer, times: Number(times || 1) } as ScriptedFault),
  ],
  [
    /^(\S+) refused (\w+)(?: x (\d+))?$/,
    ({ world }, route, refusal, times) =>
      fails(world, refused(route as FaultyRoute, refusal as Refusal, Number(times || 1))),
  ],
  [
    /^(\S+) limited for (.+)$/,
    ({ world }, route, time) =>
      fails(world, rateLimited({ route: route as FaultyRoute, retryAfterSeconds: msOf(time) / 1_000 })),
  ],
  [
    /^(\S+) late by (.+)$/,
    ({ world }, route, time) => fails(world, { route: route as FaultyRoute, delayMs: msOf(time) }),
  ],
  [/^Discord works$/, ({ world }) => world.discord.faults.clear()],
  [/^Discord hides replies x (\d)$/, ({ world }, times) => hidesReplies(world, Number(times))],
  [/^service takes (.+)$/, ({ world }, time) => world.cardService.set({ latencyMs: msOf(time) })],
  [/^its command is of an older version$/, ({ world }) => makeOlder(world)],
  [/^\+(.+)$/, ({ world }, time) => world.pass(msOf(time))],
  [/^stop$/, ({ world }) => world.stopBot()],
  [/^restart$/, ({ world }) => world.restartBot()],
  [
    /^(cards?) (.+?)( in private)?$/,
    ({ world, typed }, command, ids, isPrivate) =>
      typed.push(world[command as 'card'](ids, isPrivate ? { private: true } : {})) && undefined,
  ],
  [
    /^(?:press|(bob) presses) (.+?)(?: of (\d))?$/,
    ({ world, typed }, who, label, of) => {
      const messages = typed.map(({ message }) => message);
      const below = of ? messages[Number(of) - 1] : messages.findLast((each) => labels(each).includes(label));
      if (!below) throw new Error(`nothing has ${label}`);
      press(world, below, label, who ? world.bob : world.alice);
    },
  ],
  [
    /^until (.+)$/,
    async ({ typed }, what) => {
      await typed.at(-1)?.until(AWAITED[what] ?? (({ content }) => content.startsWith(what)));
    },
  ],
  [/^so far$/, (scene) => void done(scene)],
  [/^done$/, (scene) => done(scene)],
  [/^ends$/, (scene) => done(scene).split(': ')[1]],
  [/^requests$/, ({ world }) => world.cardService.requests.length],
  [/^edits below (\d+)$/, ({ world }, limit) => below(edits(world), limit)],
  [/^faults below (\d+)$/, ({ world }, limit) => below(world.discord.faults.met, limit)],
  [/^faults$/, ({ world }) => world.discord.faults.met],
  [/^shows$/, ({ typed }) => shown(typed)],
  [/^shows (.+)$/, ({ typed }, what) => (shown(typed).startsWith(what) ? 'yes' : shown(typed))],
  [/^gone (\d)$/, ({ typed }, at) => (typed[Number(at) - 1]?.message.deleted ? 'yes' : 'no')],
  [/^presses that show something$/, ({ world }) => world.discord.messages().filter(isShownByPress).length],
  [/^suggested$/, async ({ world }) => (await world.suggested('')).join(' ')],
  [
    /^saved$/,
    async ({ world }) =>
      field(await world.usage().settled(), 'Answered from memory')
        ?.split(' · ')
        .at(-1),
  ],
  [/^log (.+)$/, ({ world }, what) => said(world, what)],
];

function fails({ discord }: World, fault: ScriptedFault): void {
  discord.faults.script(fault);
}

/** Discord does not say what a reply shows, for so many times. */
function hidesReplies({ discord }: World, times: number): void {
  const { answer } = discord;
  let left = times;
  discord.answer = async (request) => {
    if (request.method !== 'GET' || left-- <= 0) return answer(request);
    await sleep(500);
    throw new TypeError('fetch failed');
  };
}

/** The command of what was left exists no more. */
function makeOlder({ config }: World): void {
  using database = new DatabaseSync(join(config.dataDir, 'state.sqlite'));
  database.exec("UPDATE rows SET value = json_set(value, '$.command', 'older') WHERE part = 'replies:texts'");
}

/** How each command ended. */
export function endsIn({ lines }: World): string[] {
  return lines.filter(({ msg }) => msg === 'command').map(({ outcome, source }) => `${outcome} from ${source}`);
}

/** `1, 2: answered from service` */
function done(scene: Scene): string {
  const { world, before } = scene;
  const ends = endsIn(world);
  const now = { requests: world.cardService.requests.length, edits: edits(world), ends: ends.length };
  scene.before = now;
  return `${now.requests - before.requests}, ${now.edits - before.edits}: ${ends.slice(before.ends).join(', ')}`;
}

function below(count: number, limit: string): string {
  return count < Number(limit) ? 'yes' : String(count);
}

const shown = (typed: readonly TypedInteraction[]) => typed.slice(-1).map(shows).join();

export function shows({ message: { embeds, content } }: TypedInteraction): string {
  return embeds.map(({ title }) => title).join() || content;
}

const isShownByPress = ({ trigger, content }: ChatMessage) => trigger === 'component' && content !== '';
