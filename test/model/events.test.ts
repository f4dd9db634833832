import { channel } from 'node:diagnostics_channel';
import { expect, it, onTestFinished } from 'vitest';
import { Events, type EventsByName } from '../../src/model/events.ts';

const DEFERRED: EventsByName['reply'] = { step: 'deferred', interactionId: '1', command: 'card' };

it('a subscriber gets the events of its own bot until it ends the subscription', () => {
  const [bot, other] = [new Events(), new Events()];
  const received: EventsByName['reply'][] = [];
  const end = bot.subscribe('reply', (event) => void received.push(event));

  bot.publish('reply', DEFERRED);
  other.publish('reply', DEFERRED);
  end();
  bot.publish('reply', DEFERRED);

  expect(received).toEqual([DEFERRED]);
});

it('events are messages on a channel of node:diagnostics_channel, each with its bot', () => {
  const messages: unknown[] = [];
  const listener = (message: unknown) => void messages.push(message);
  channel('cardbot:reply').subscribe(listener);
  onTestFinished(() => void channel('cardbot:reply').unsubscribe(listener));
  const bot = new Events();

  bot.publish('reply', DEFERRED);

  expect(messages).toEqual([{ ...DEFERRED, bot }]);
});
