import type { Typed } from './discord.ts';
import { simulatedMs } from './fake-time.ts';

const APPLICATION = '1000000000000000001';
const GUILD = '1100000000000000001';
const MEMBERS = 6;
/** Cards that are watched: those of even numbers from above, the others from below. */
const WATCHED = 4;
export const LINES = { above: 25, below: 20 };
/** Between the lines, and beyond the one of a card. */
export const BETWEEN = 22;
export const beyondLineOf = (cardId: string): number => (isOfAbove(cardId) ? 60 : 5);

function isOfAbove(cardId: string): boolean {
  return Number(cardId.slice(4)) % 2 === 0;
}

export const memberId = (number: number): string => String(1_200_000_000_000_000_000n + BigInt(number));

/** Some members take no messages from bots. */
export const takesMessages = (member: string): boolean => !/[45]$/.test(member);

/** What a member types next. */
export function drawn(number: number, process: number, random: () => number): Typed {
  const card = () => `${random() < 0.1 ? 'no' : 'set'}-${Math.floor(random() ** 2 * 30)}`;
  const command = random() < 0.25 ? 'cards' : random() < 0.1 ? 'usage' : random() < 0.25 ? 'watch' : 'card';
  const cards = Array.from({ length: command === 'cards' ? 1 + Math.floor(random() * 8) : 1 }, card);
  if (command === 'watch') cards[0] = `set-${Math.floor(random() * WATCHED)}`;
  return typedBy(memberId(Math.floor(random() * MEMBERS)), number, process, command, cards);
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

/** As the gateway brings it. */
export function payloadOf({ id, token, command, member, cards }: Typed) {
  const [first = ''] = cards;
  const line = isOfAbove(first)
    ? { name: 'above', type: 10, value: LINES.above }
    : { name: 'below', type: 10, value: LINES.below };
  const options = {
    card: [{ name: 'id', type: 3, value: first }],
    cards: [{ name: 'ids', type: 3, value: cards.join(' ') }],
    watch: [{ name: 'card', type: 3, value: first }, line],
    usage: [],
  };
  const user = { id: member, username: 'member', discriminator: '0', avatar: null, global_name: null };
  return {
    ...{ id, token, type: 2, version: 1, application_id: APPLICATION, entitlements: [], locale: 'en-US' },
    ...{ guild_id: GUILD, guild_locale: 'en-US', channel_id: '1100000000000000002', context: 0 },
    app_permissions: '2147483647',
    authorizing_integration_owners: { 0: GUILD },
    member: { user, roles: [], permissions: '2147483647', joined_at: '2026-01-01T00:00:00.000Z', flags: 0 },
    data: { id: '1300000000000000001', name: command, type: 1, options: options[command] },
  };
}
