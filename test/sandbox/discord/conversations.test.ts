import { afterEach, beforeEach, expect, it } from 'vitest';

import { Conversations } from '../../../src/sandbox/discord/conversations.ts';
import { DISCORD_LIFETIMES } from '../../../src/sandbox/discord/interaction.ts';
import { RequestLog } from '../../../src/sandbox/discord/request-log.ts';

let conversations: Conversations;
beforeEach(() => {
  conversations = new Conversations();
});
afterEach(() => conversations.close());

function typed(interactionId: string) {
  return conversations.start({
    channelId: '1',
    commandName: 'card',
    lifetimes: DISCORD_LIFETIMES,
    nextId: () => '2',
    origin: 'http://127.0.0.1:1',
    message: {
      interactionId,
      messageId: undefined,
      guildId: null,
      member: { id: '3', name: 'Alice', locale: 'en-US' },
      commandLine: '/card',
      state: 'sent',
      failure: undefined,
      ephemeral: false,
      edited: false,
      content: '',
      embeds: [],
      typedAtMs: Date.now(),
      answeredAtMs: undefined,
    },
  });
}

it('forgets the oldest of more than a thousand finished ones, and none that is open', () => {
  const open = typed('open');
  const first = typed('first');
  first.acknowledge({ kind: 'reply', ephemeral: false, form: { content: 'here' } }, 0);
  for (let number = 0; number < 1_000; number++) {
    typed(`later ${number}`).acknowledge({ kind: 'reply', ephemeral: false, form: { content: 'here' } }, 0);
  }

  expect(conversations.messages()).toHaveLength(1_001);
  expect(conversations.find('open')).toBe(open);
  expect(conversations.find('first')).toBeUndefined();
  expect(() => conversations.webhook(first.token)).toThrow(expect.objectContaining({ code: 10_015 }));
});

it('keeps the last hundred snapshots of one that is edited for ever', () => {
  const conversation = typed('busy');
  conversation.acknowledge({ kind: 'defer', ephemeral: true }, 0);
  for (let edit = 1; edit <= 200; edit++) conversation.edit('@original', { content: String(edit) }, 0);

  expect(conversation.history).toHaveLength(100);
  expect(conversation.message).toMatchObject({ content: '200', edited: true, ephemeral: true });
});

it('does not count a refused answer as one', () => {
  const conversation = typed('careful');

  expect(() => conversation.acknowledge({ kind: 'reply', ephemeral: false, form: {} }, 0)).toThrow(
    expect.objectContaining({ code: 50_006 }),
  );
  conversation.acknowledge({ kind: 'reply', ephemeral: true, form: { content: 'here' } }, 0);
  expect(conversation.message).toMatchObject({ state: 'answered', content: 'here', ephemeral: true });
});

it('logs the last thousand requests', () => {
  const log = new RequestLog();
  for (let atMs = 0; atMs < 1_500; atMs++)
    log.add({ atMs, arrivedAtMs: 0, method: 'GET', path: '/api/v10/gateway/bot', status: 200 });

  expect(log.seen).toHaveLength(1_000);
  expect(log.seen[0]?.atMs).toBe(500);
});
