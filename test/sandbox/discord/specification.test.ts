import type { Interaction } from 'discord.js';
import { beforeAll, expect, it } from 'vitest';
import type { ErrorTree } from '../../../sandbox/discord/api-error.ts';
import type { EmulatedDiscord } from '../../../sandbox/discord/emulated-discord.ts';
import { openDiscord } from '../../support/backends.ts';
import { startClient } from '../../support/discord-client.ts';
import { type BrokenBody, brokenBodies, rulesOf } from '../../support/discord-spec/broken-bodies.ts';
import { APPLICATIONS, CHOICES, COMMANDS, EDITS, MESSAGES, MODALS } from './valid-bodies.ts';

const OWN_COMMANDS = [
  { name: 'look', description: 'x' },
  { name: 'find', description: 'x', options: [{ type: 3, name: 'id', description: 'x', autocomplete: true }] },
];

let discord: EmulatedDiscord;
let received = Promise.withResolvers<Interaction>();

beforeAll(async () => {
  discord = await openDiscord({ lifetimes: { ackMs: 600_000, tokenMs: 900_000 } });
  const client = await startClient(discord, [], async (interaction) => received.resolve(interaction));
  await client.application?.commands.set(OWN_COMMANDS, discord.guilds[0]?.id ?? '');
});

const CALLBACK = 'POST /interactions/:id/:token/callback';
const WEBHOOK = '/webhooks/:application/:token';
const MESSAGE = `${WEBHOOK}/messages/:message`;
const COMMANDS_PATH = '/applications/:application/commands';

/** The parameters of a path. */
type Target = Record<string, string>;

async function send(route: string, target: Target, body: unknown) {
  const [method = '', path = ''] = route.split(' ');
  const url = `${discord.apiUrl}/v10${path.replaceAll(/:(\w+)/g, (_, name) => target[name] ?? discord.applicationId)}`;
  const authorization = `Bot ${discord.botToken}`;
  const json = JSON.stringify(body);
  const form = new FormData();
  form.set('payload_json', json);
  form.set('files[0]', new File(['x'], 'a.txt'));
  const response = await fetch(url, {
    method,
    headers: { authorization, ...(!json.includes('a.txt') && { 'content-type': 'application/json' }) },
    body: json.includes('a.txt') ? form : json,
  });
  const text = await response.text();
  return { status: response.status, answer: text === '' ? undefined : JSON.parse(text) };
}

async function interaction(act: () => unknown): Promise<Target> {
  received = Promise.withResolvers();
  act();
  const { id, token } = await received.promise;
  return { id, token };
}
const typed = () => interaction(() => discord.type({ command: 'look' }));
const focused = () =>
  interaction(() => discord.complete({ command: 'find', options: { id: 'x' }, focused: 'id' }).catch(() => {}));

async function clicked(): Promise<Target> {
  const target = await typed();
  const components = [{ type: 1, components: [{ type: 2, style: 1, custom_id: 'a', label: 'A' }] }];
  await send(CALLBACK, target, { type: 4, data: { components } });
  const messageId = discord.message(target.id ?? '')?.messageId ?? '';
  return interaction(() => discord.click({ messageId, customId: 'a' }));
}

async function deferred(): Promise<Target> {
  const target = await typed();
  await send(CALLBACK, target, { type: 5 });
  return { ...target, message: '@original' };
}

interface Sent {
  route: string;
  body: object;
  to: () => Promise<Target>;
}
const each = (route: string, bodies: readonly object[], to: Sent['to']): Sent[] =>
  bodies.map((body) => ({ route, body, to }));
const callbacks = (type: number, bodies: readonly object[], to: Sent['to']): Sent[] =>
  bodies.map((data) => ({ route: CALLBACK, body: { type, data }, to }));
const nowhere = async () => ({});

const SENT = [
  ...each('PATCH /applications/@me', APPLICATIONS, nowhere),
  ...callbacks(4, MESSAGES, typed),
  ...callbacks(7, EDITS, clicked),
  ...callbacks(8, CHOICES, focused),
  ...callbacks(9, MODALS, typed),
  ...each(`POST ${WEBHOOK}`, MESSAGES, deferred),
  ...each(`PATCH ${MESSAGE}`, EDITS, deferred),
  ...each(`PUT ${COMMANDS_PATH}`, [COMMANDS.map((command) => ({ ...command, id: '1' }))], nowhere),
];

const tried = new Set<string>();
const CASES = SENT.map((sent) => ({ ...sent, broken: [...brokenBodies(sent.route, sent.body, tried)] }));

const UNTRIED = [
  /^ApplicationCommandOptionStringChoice\.value: type/, // a number fits the route, too
  /^(?:LaunchActivity|Pong|SocialLayer)/, // not answers to what the emulated Discord sends
  /^IncomingWebhookRequestPartial\.(?:tts|username|avatar_url|thread_name|applied_tags)/, // an edit fits the route, too
];

it('breaks every rule of the requests that bots send', () => {
  const rules = [...new Set(SENT.map(({ route }) => route))].flatMap((route) => [...rulesOf(route)]);
  expect(rules.filter((rule) => !tried.has(rule) && !UNTRIED.some((known) => known.test(rule)))).toEqual([]);
  expect(tried.size).toBe(588);
});

it.each(CASES)('refuses what breaks one rule of $route, and accepts what breaks none', async (each) => {
  const { route, body, to, broken } = each;
  const target = await to();
  const taken: unknown[] = [];
  for (const wrong of broken) {
    const { status, answer } = await send(route, target, wrong.body);
    const isRefused = status === 400 && answer.code === 50_035 && pointsTo(answer.errors, wrong);
    if (!isRefused) taken.push({ rule: wrong.rule, path: wrong.path.join('.'), status, errors: answer?.errors });
  }

  expect(taken).toEqual([]);
  const { status, answer } = await send(route, target, body);
  expect(status, JSON.stringify(answer)).toBeLessThan(300);
});

/** Whether an error is at the broken value, in it, or around it. */
function pointsTo(errors: ErrorTree, { path }: BrokenBody): boolean {
  return leafPaths(errors).some((leaf) =>
    leaf.every((key, depth) => depth >= path.length || key === String(path[depth])),
  );
}

function leafPaths(errors: ErrorTree): string[][] {
  return Object.entries(errors).flatMap(([key, inner]) =>
    Array.isArray(inner) ? [[]] : leafPaths(inner).map((path) => [key, ...path]),
  );
}
