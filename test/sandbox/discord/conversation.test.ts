import { beforeEach, expect, it, vi } from 'vitest';
import { fakeTimers } from '../../support/fake-timers.ts';
import { expectSaid, table } from '../../table.ts';
import { button, embeddedDiscord, row } from './embedded.ts';

beforeEach(() => fakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] }));

const input = { type: 18, label: 'A', component: { type: 4, custom_id: 'f', style: 1, min_length: 2, max_length: 3 } };
const FORM = { type: 9, data: { custom_id: 'm', title: 'M', components: [input] } };
const SAY = { name: 'say', description: 'x', contexts: [0, 1, 2], integration_types: [0, 1] };
const DECK = { ...SAY, name: 'deck', options: [{ type: 3, name: 'id', description: 'x', autocomplete: true }] };

async function here() {
  const bot = await embeddedDiscord();
  await bot.register([SAY, DECK, { type: 3, name: 'Quote It' }]);
  return bot;
}

// interactions/receiving-and-responding: the first answer within 3 s, tokens of 15 minutes
it.each(table`
  a reply just in time | 2999 reply | 204
  a reply that comes too late | 3000 reply | 10062
  a reply after it was deferred | defer 10000 reply | 40060
  a second reply | reply reply | 40060
  a reply after one that was deleted | reply delete reply | 40060
  a second reply when the token has expired | reply 900000 reply | 10062
  a reply to one that was deferred when the token has expired | defer 900000 reply | 10062
  an edit before the reply | edit | 10015
  an edit when no reply can come any more | 5000 edit | 10015
  an edit of what was deferred | defer 899999 edit | 200
  an edit of what was deferred when the token has expired | defer 900000 edit | 50027
  an edit of a reply | reply 899999 edit | 200
  an edit of a reply when the token has expired | reply 900000 edit | 50027
  an edit of a reply that was deleted | reply delete edit | 10008
  a follow-up of a reply that was deleted | reply delete follow-up | 200
`)(
  '%s is answered %s: %i',
  expectSaid(async (steps) => {
    const { discord, answer } = await here();
    discord.type({ command: 'say' });
    let code = 0;
    for (const step of steps.split(' ')) {
      if (/^\d/.test(step)) vi.advanceTimersByTime(Number(step));
      else ({ code } = await answer(step));
    }
    return code;
  }),
);

it('counts the time itself, when a busy machine runs its timers late', async () => {
  const { discord, answer } = await here();
  discord.type({ command: 'say' });
  vi.setSystemTime(Date.now() + 3_001);
  expect((await answer('reply')).code).toBe(10_062);
});

it('an app that only a user has installed sends five follow-ups, and no sixth', async () => {
  const { discord, answer } = await here();
  discord.type({ command: 'say', context: 2 });
  await answer('reply');
  const codes = [];
  for (let sent = 0; sent < 6; sent++) codes.push((await answer('follow-up')).code);
  expect(codes).toEqual([200, 200, 200, 200, 200, 40_094]);
});

it("what was not answered in time fails with Discord's sentence", async () => {
  const { discord, answer, call, told } = await here();
  const command = discord.type({ command: 'say' });
  const { body } = await answer('reply', { content: 'x', components: [row(button('a'))] });
  expect(body).toEqual({});
  const messageId = command.message.messageId ?? '';
  const pressed = discord.click({ messageId, customId: 'a' });
  const { id = '', token = '' } = told.at(-1) ?? {};
  await call('POST', `/interactions/${id}/${token}/callback`, FORM);
  const values = (f: string) => ({ interactionId: pressed.id, values: { f } });
  expect(() => discord.submit(values('x'))).toThrow('must have 2 to 3 characters');
  expect(() => discord.submit(values('xxxx'))).toThrow('must have 2 to 3 characters');
  const unanswered = [
    discord.type({ command: 'say' }),
    discord.type({ command: 'Quote It', target: { messageId } }),
    discord.click({ messageId, customId: 'a' }),
    discord.submit(values('xx')),
  ];
  vi.advanceTimersByTime(3_000);
  expect(unanswered.map(({ message: { state, failure } }) => `${state}: ${failure}`)).toEqual([
    'failed: The application did not respond',
    'failed: The application did not respond',
    'failed: This interaction failed',
    'failed: Something went wrong. Try again.',
  ]);
});

it('suggestions fail after three seconds, and nobody waits for them from then on', async () => {
  const { discord, answer } = await here();
  const failed = expect(discord.complete({ command: 'deck', focused: 'id' })).rejects.toThrow('Loading options failed');
  vi.advanceTimersByTime(3_000);
  await failed;
  expect((await answer('reply')).code).toBe(10_062);
});
