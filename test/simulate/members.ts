import type { Typed } from './discord.ts';
import { pause, simulatedMs } from './fake-time.ts';

const APPLICATION = '1000000000000000001';
const CHANNEL = '1100000000000000002';
const GUILD = '1100000000000000001';
const MEMBERS = 6;
/** Cards that are watched: those of even numbers from above, the others from below. */
const WATCHED = 4;
const LINES = { above: 25, below: 20 };
/** Between the lines, and beyond the one of a card. */
export const BETWEEN = 22;
export const beyondLineOf = (cardId: string): number => (isOfAbove(cardId) ? 60 : 5);

function isOfAbove(cardId: string): boolean {
  return Number(cardId.slice(4)) % 2 === 0;
}

export const memberId = (number: number): string => String(1_200_000_000_000_000_000n + BigInt(number));

/** Some members take no messages from bots. */
export const takesMessages = (member: string): boolean => !/[345]$/.test(member);

/** What a member types next; some type, and watch, more than others. */
export function drawn(number: number, process: number, random: () => number): Typed {
  const card = () => `${random() < 0.1 ? 'no' : 'set'}-${Math.floor(random() ** 2 * 30)}`;
  const others = random() < 0.1 ? 'usage' : random() < 0.4 ? 'watch' : random() < 0.15 ? 'list' : 'card';
  const command = random() < 0.25 ? 'cards' : others;
  const count = command === 'cards' ? 1 + Math.floor(random() * 8) : command === 'list' ? 0 : 1;
  const cards = Array.from({ length: count }, card);
  if (command === 'watch') cards[0] = `set-${Math.floor(random() * WATCHED)}`;
  return typedBy(memberId(Math.floor(random() ** 0.5 * MEMBERS)), number, process, command, cards);
}

export function typedBy(
  member: string,
  number: number,
  process: number,
  command: Typed['command'],
  cards: readonly string[],
): Typed {
  const id = String(1_400_000_000_000_000_000n + BigInt(number));
  const token = `token-${number}-${'x'.repeat(40)}`;
  const typed = { id, token, command, member, cards, typedAtMs: simulatedMs(), process };
  return { ...typed, shown: [], followUps: 0, isForgotten: false };
}

/** Uses a button of what another shows, or submits its form; with the cards that it asks for. */
export type Press = (of: Typed, press: Pick<Typed, 'command' | 'lines'> & { customId: string }) => Typed | undefined;

/** What a member does with what they see: some replies are taken back, and with a form a list is pasted. */
export async function goesOn(typed: Typed, random: () => number, press: Press): Promise<void> {
  const { command } = typed;
  if (command === 'list') await pastes(typed, random, press);
  else if ((command === 'card' || command === 'cards') && random() < 0.25) await takesBack(typed, random, press);
}

/** By its button, or by Discord's own means. */
async function takesBack(typed: Typed, random: () => number, press: Press): Promise<void> {
  await pause(random() ** 2 * 20_000);
  if (random() < 0.3) {
    if (typed.first) typed.goneAtMs ??= simulatedMs();
    return;
  }
  const customId = await seen(typed, () => buttonOf(typed, /^card:delete$/));
  if (customId) press(typed, { command: 'delete', customId });
}

/** A list of cards that are in no other, and the presses that fetch their prices, some of them twice. */
async function pastes(list: Typed, random: () => number, press: Press): Promise<void> {
  const lines = Array.from({ length: 1 + Math.floor(random() * 8) }, (_, at) => `lot${list.id.slice(-4)}-${at}`);
  await seen(list, () => list.first);
  await pause(random() * 5_000);
  let of = list.first === 'form' ? press(list, { command: 'submit', customId: 'cards:list', lines }) : undefined;
  for (let presses = 0; of && presses < 3; presses++) {
    const from: Typed = of;
    const customId = await seen(from, () => buttonOf(from, /^cards:fetch:/));
    if (!customId) return;
    await pause(random() * 3_000);
    of = press(from, { command: 'fetch', customId, lines });
    if (random() < 0.5) continue;
    await pause(random() * 2_000);
    press(from, { command: 'fetch', customId, lines });
  }
}

/** Looks for a while. */
async function seen<T>(typed: Typed, look: () => T | undefined): Promise<T | undefined> {
  for (let looks = 0; looks < 40 && look() === undefined && !typed.isForgotten; looks++) await pause(1_000);
  return look();
}

function buttonOf({ shown, goneAtMs }: Typed, customId: RegExp): string | undefined {
  return goneAtMs === undefined ? shown.at(-1)?.buttons.find((each) => customId.test(each)) : undefined;
}

/** As the gateway brings it. */
export function payloadOf(typed: Typed) {
  const { id, token, member } = typed;
  const user = { id: member, username: 'member', discriminator: '0', avatar: null, global_name: null };
  return {
    ...{ id, token, version: 1, application_id: APPLICATION, entitlements: [], locale: 'en-US' },
    ...{ guild_id: GUILD, guild_locale: 'en-US', channel_id: CHANNEL, context: 0 },
    app_permissions: '2147483647',
    authorizing_integration_owners: { 0: GUILD },
    member: { user, roles: [], permissions: '2147483647', joined_at: '2026-01-01T00:00:00.000Z', flags: 0 },
    ...dataOf(typed),
    ...(typed.used && { message: messageOf(typed.used.of, user) }),
  };
}

function dataOf({ command, cards, used, lines = [] }: Typed) {
  const [first = ''] = cards;
  const line = isOfAbove(first)
    ? { name: 'above', type: 10, value: LINES.above }
    : { name: 'below', type: 10, value: LINES.below };
  const options = {
    card: [{ name: 'id', type: 3, value: first }],
    cards: [{ name: 'ids', type: 3, value: cards.join(' ') }],
    watch: [{ name: 'card', type: 3, value: first }, line],
  };
  const text = { type: 4, custom_id: 'text', value: lines.join('\n') };
  if (command === 'submit')
    return { type: 5, data: { custom_id: used?.customId, components: [{ type: 18, component: text }] } };
  if (command === 'fetch' || command === 'delete')
    return { type: 3, data: { custom_id: used?.customId, component_type: 2 } };
  const name = command === 'list' ? 'cards' : command;
  const given = command === 'list' || command === 'usage' ? [] : options[command];
  return { type: 2, data: { id: '1300000000000000001', name, type: 1, options: given } };
}

function messageOf({ id, shown }: Typed, user: object) {
  const content = shown.at(-1)?.content ?? '';
  const author = { ...user, id: APPLICATION, username: 'bot', bot: true };
  return {
    ...{ id, type: 0, channel_id: CHANNEL, author, content, timestamp: '2026-06-01T09:00:00.000Z' },
    ...{ edited_timestamp: null, embeds: [], components: [], attachments: [], mentions: [], mention_roles: [] },
    interaction_metadata: { id, type: 2, user, authorizing_integration_owners: {} },
  };
}
