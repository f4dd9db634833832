import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { afterButton, lastMessage, openMenu, reply, type Scene, suggestions } from './shot.ts';

const HOUR_MS = 3_600_000;
/** Fresh, with prices that are told from those of the reply. */
const RECENTLY_MS = 25 * 60_000;
const STALE_MS = 9 * HOUR_MS;

/** More commands than the bot takes. Those of direct messages are not on the page. @returns what ends them */
async function typeTooMuch({ discord }: Sandbox): Promise<() => void> {
  const type = () => discord.type({ command: 'privacy', guildId: null }).settled();
  while (!(await type()).content.startsWith('Slow down'));
  // Oftener than the bot forgives, and less than the emulated Discord keeps.
  const goingOn = setInterval(() => void type(), 150);
  return () => clearInterval(goingOn);
}

/** @param as the index of the member */
function lookUp(as: number, ...ids: string[]): (sandbox: Sandbox) => Promise<void> {
  return async ({ discord }) => {
    const memberId = discord.members[as]?.id ?? '';
    for (const id of ids) await discord.type({ command: 'card', options: { id }, memberId }).settled();
  };
}

/** Every kind of reply. */
export const SCENES: readonly Scene[] = [
  {
    options: {
      // In the evening, a tenth of the day is less than what some have booked.
      env: { PRICE_CURRENCY: 'USD', MEMBER_DAILY_REQUESTS: '1000' },
      known: [
        { id: 'base1-4', ageMs: RECENTLY_MS, hasHistory: true },
        { id: 'base1-1', ageMs: RECENTLY_MS, hasHistory: true },
        { id: 'base1-2', ageMs: STALE_MS },
        { id: 'base1-9', ageMs: STALE_MS },
      ],
    },
    isLively: true,
    shots: [
      { name: 'suggestions', show: suggestions('card', 'emb', 'Emberwing Drake · First Light') },
      { name: 'card', show: reply('/card id:base1-4', 'days') },
      { name: 'other-printings', show: afterButton('Other printings', 'other cards') },
      { name: 'card-private', show: reply('/card id:base1-4 private:true', 'days') },
      { name: 'usage', show: reply('/usage', 'Answered from memory') },
      { name: 'card-without-prices', show: reply('/card id:base1-17', 'left today') },
      { name: 'several-cards', show: reply('/card id:drake', 'Which of these') },
      { name: 'many-cards', show: reply('/card id:travelling lamplighter', 'cards are called') },
      { name: 'unknown-name', show: reply('/card id:Emberwing Dragon', 'Did you mean') },
      { name: 'no-such-card', show: reply('/card id:base1-999', 'base1') },
      { name: 'not-an-id', show: reply('/card id:..', 'card id') },
      { name: 'cards-unclear', show: reply('/cards ids:base1-4, stilt dansor, wax golm, drake', 'left today') },
      { name: 'cards', show: reply('/cards ids:base1-4, base1-1, Soot Sprite, base1-999', 'left today') },
      { name: 'menu', show: async (page) => [page.locator('discord-message').last()], again: openMenu },
      {
        name: 'looked-up',
        show: async (page) => {
          await openMenu(page);
          await page.getByRole('button', { name: 'Look up cards' }).last().click();
          return [await lastMessage(page, 'from memory')];
        },
      },
      {
        name: 'cards-on-their-way',
        before: ({ cardService }) => cardService.set({ latencyMs: 8_000 }),
        show: reply('/cards ids:base1-4, base1-1, dusk2-12', 'on its way'),
      },
      { name: 'saved-copy', show: reply('/card id:base1-2', 'while I fetch') },
      {
        name: 'saved-copy-kept',
        before: ({ cardService }) => cardService.set({ latencyMs: 0, down: true }),
        show: reply('/card id:base1-9', 'answering'),
      },
      { name: 'down', show: reply('/card id:base1-15', 'answering right now') },
      { name: 'usage-down', show: reply('/usage', 'down since') },
      { name: 'privacy', show: reply('/privacy', 'What I keep') },
      { name: 'privacy-question', show: afterButton('Delete my data', "can't be undone") },
      { name: 'privacy-deleted', show: afterButton('Delete my data', "that's deleted") },
      { name: 'too-fast', before: typeTooMuch, show: reply('/card id:base1-4', 'Slow down') },
    ],
  },
  {
    options: {
      service: { requestsPerMinute: 2, burst: 2, requestsPerDay: 1_000 },
      env: { CARD_SERVICE_REQUESTS_PER_MINUTE: '2', CARD_SERVICE_BURST: '2', LONGEST_WAIT_SECONDS: '40' },
    },
    shots: [
      { name: 'card-plain', show: reply('/card id:base1-23', 'left today') },
      { name: 'in-line', show: reply('/card id:base1-58', 'in line') },
      { name: 'busy', show: reply('/card id:base1-70', 'busy') },
    ],
  },
  {
    shots: [
      {
        name: 'day-used-up',
        before: ({ cardService }) => cardService.exhaustDay(),
        show: reply('/card id:base1-44', 'used up'),
      },
      { name: 'usage-day-used-up', show: reply('/usage', 'used up until') },
    ],
  },
  {
    options: { env: { MEMBER_DAILY_REQUESTS: '3' } },
    shots: [
      {
        name: 'member-used-up',
        before: lookUp(0, 'base1-1', 'base1-2', 'base1-3'),
        show: reply('/card id:base1-15', 'for today'),
      },
    ],
  },
  {
    options: { env: { MEMBER_DAILY_REQUESTS: '0', GUILD_DAILY_REQUESTS: '3' } },
    shots: [
      {
        name: 'server-used-up',
        before: lookUp(1, 'base1-1', 'base1-2', 'base1-3'),
        show: reply('/card id:base1-15', 'This server'),
      },
    ],
  },
  {
    shots: [
      {
        name: 'pause',
        before: ({ cardService }) => cardService.storm(20 * 60_000),
        show: reply('/card id:base1-15', 'short break'),
      },
      { name: 'usage-pause', show: reply('/usage', 'Waiting until') },
    ],
  },
  {
    shots: [
      {
        name: 'unexpected-answer',
        before: ({ cardService }) => cardService.set({ firewall: true }),
        show: reply('/card id:<base1>', 'unexpected'),
      },
      {
        name: 'key-refused',
        before: ({ cardService }) => cardService.set({ keyRevoked: true }),
        show: reply('/card id:base1-15', 'reach its card service'),
      },
      { name: 'usage-key-refused', show: reply('/usage', 'refuses') },
    ],
  },
];
