import { expect, it } from 'vitest';
import type { Services } from '../../../commands/services.ts';
import type { Command } from '../../../src/discord/interactions/command.ts';
import { replyRenderer } from '../../../src/discord/interactions/dispatch.ts';
import { KeyRefused } from '../../../src/model/errors.ts';
import { formatMessage } from '../../../src/render/messages.ts';
import { deferredReply } from '../../replies/replies-over.ts';

function rendered(complete: Command['complete'], command = 'card') {
  const data = { name: 'card', description: 'Show a card' };
  const run = () => Promise.reject(new Error('not run'));
  const render = replyRenderer([{ data, run, ...(complete && { complete }) }], {} as Services);
  return render(deferredReply({ command }), { error: new KeyRefused({ status: 401 }) });
}

it('a completed reply shows what its command makes of the outcome', () => {
  const complete: Command['complete'] = ({ command }, outcome) => ({
    content: `${command}: ${'error' in outcome && outcome.error.name}`,
  });
  expect(rendered(complete)).toEqual({ message: { content: 'card: KeyRefused' } });
});

it('a reply whose command does not exist any more, or does not defer any more, says that it is out of date', () => {
  const outdated = { message: { content: formatMessage('en-US', 'unknownCommand') } };
  expect(rendered(() => ({ content: 'a card' }), 'older')).toEqual(outdated);
  expect(rendered(undefined)).toEqual(outdated);
});

it('a reply whose command throws says that something broke, with the error for the log', () => {
  const err = new TypeError('a bug');
  const complete = () => {
    throw err;
  };
  expect(rendered(complete)).toEqual({ message: { content: formatMessage('en-US', 'broken') }, err });
});
