import { afterEach, beforeEach, expect, it } from 'vitest';
import { Conversations } from '../../../sandbox/discord/conversations.ts';
import { FileStore } from '../../../sandbox/discord/file-store.ts';
import { DISCORD_LIFETIMES } from '../../../sandbox/discord/interaction.ts';
import { RequestLog } from '../../../sandbox/discord/request-log.ts';
import { sentMessage } from '../../../sandbox/discord/start-interaction.ts';

let conversations: Conversations;
beforeEach(() => {
  conversations = new Conversations();
});
afterEach(() => conversations.close());

function typed(interactionId: string) {
  const member = { id: '3', name: 'Alice', locale: 'en-US' };
  const message = sentMessage(interactionId, { guildId: null, context: 1, member });
  let last = 0;
  const nextId = () => `${interactionId}00${++last}`;
  const origin = 'http://127.0.0.1:1';
  return conversations.start({
    type: 2,
    hasSource: false,
    channelId: '1',
    owners: { 0: '0' },
    isForcedPrivate: false,
    metadata: {},
    lifetimes: DISCORD_LIFETIMES,
    nextId,
    files: new FileStore(origin, nextId),
    origin,
    message: { ...message, trigger: 'command', commandLine: '/card', typedAtMs: Date.now() },
  });
}

const REPLY = { kind: 'reply', ephemeral: false, form: { content: 'here' } } as const;
const refusal = (code: number) => expect.objectContaining({ code });

it('drops the oldest of more than a thousand finished ones, and no open one', () => {
  const open = typed('1');
  const first = typed('2');
  first.acknowledge(REPLY, []);
  for (let number = 0; number < 1_000; number++) typed(String(3 + number)).acknowledge(REPLY, []);

  expect(conversations.messages()).toHaveLength(1_001);
  expect(conversations.find('1')).toBe(open);
  expect(conversations.find('2')).toBeUndefined();
  expect(() => conversations.webhook(first.details.token)).toThrow(refusal(10_015));
});

it('keeps the last hundred snapshots of one that is edited again and again', () => {
  const conversation = typed('1');
  conversation.acknowledge({ kind: 'defer', ephemeral: true }, []);
  for (let edit = 1; edit <= 200; edit++) conversation.edit('@original', { content: String(edit) }, []);
  expect(conversation.course.history).toHaveLength(100);
  expect(conversation.message).toMatchObject({ content: '200', edited: true, ephemeral: true });
});

it('does not count a refused answer', () => {
  const conversation = typed('1');
  expect(() => conversation.acknowledge({ ...REPLY, form: {} }, [])).toThrow(refusal(50_006));
  conversation.acknowledge({ ...REPLY, ephemeral: true }, []);
  expect(conversation.message).toMatchObject({ state: 'answered', content: 'here', ephemeral: true });
});

it('refuses an edit that leaves an empty message, and one of a message that is deleted', () => {
  const conversation = typed('1');
  conversation.acknowledge(REPLY, []);
  expect(() => conversation.edit('@original', { content: '' }, [])).toThrow(refusal(50_006));
  expect(conversation.message.content).toBe('here');
  conversation.delete('@original');
  expect(() => conversation.edit('@original', { content: 'x' }, [])).toThrow(refusal(10_008));
});

it('completes a deferred reply with the first follow-up, and shows the next one below', () => {
  const conversation = typed('1');
  conversation.acknowledge({ kind: 'defer', ephemeral: false }, []);
  conversation.followUp({ content: 'first' }, true, []);
  conversation.followUp({ content: 'second' }, true, []);
  const followUps = [{ content: 'second', ephemeral: true }];
  expect(conversation.message).toMatchObject({ content: 'first', ephemeral: false, followUps });
});

it('logs the last thousand requests', () => {
  const log = new RequestLog();
  for (let atMs = 0; atMs < 1_500; atMs++) log.add({ atMs, method: 'GET', path: '/api/v10/gateway/bot', status: 200 });
  expect(log.seen).toHaveLength(1_000);
  expect(log.seen[0]?.atMs).toBe(500);
});
