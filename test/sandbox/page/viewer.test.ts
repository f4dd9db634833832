import { expect, it } from 'vitest';
import type { ChatMessage } from '../../../sandbox/discord/chat.ts';
import { isVisible } from '../../../sandbox/page/viewer.ts';

const [ALICE, BOB] = [
  { id: '1', name: 'Alice', locale: 'en-US' },
  { id: '2', name: 'Bob', locale: 'en-US' },
];
const MESSAGE: ChatMessage = {
  ...{ interactionId: '10', messageId: '11', guildId: 'guild', context: 0, member: ALICE, trigger: 'command' },
  ...{ commandLine: '/show', state: 'answered', failure: undefined, ephemeral: false, edited: false, content: 'shown' },
  ...{ embeds: [], components: [], attachments: [], typedAtMs: 0, answeredAtMs: 0 },
};
const FOLLOW_UP = { ...MESSAGE, messageId: '12' };

it.each<[string, Partial<ChatMessage>, boolean, boolean]>([
  ['a reply', {}, true, true],
  ['a private reply', { ephemeral: true }, true, false],
  ['a command on its way', { state: 'sent', messageId: undefined }, true, false],
  ['a reply in another place', { guildId: 'other' }, false, false],
  ['a reply in a group', { guildId: null, context: 2 }, false, false],
  ['a reply that was removed', { deleted: true }, false, false],
  ['a click on its way', { trigger: 'component', state: 'sent', messageId: undefined }, false, false],
  ['a click that changed its message', { trigger: 'component', updatesSource: true }, false, false],
  ['and added another', { trigger: 'component', updatesSource: true, followUps: [FOLLOW_UP] }, true, true],
  ['a click without answer', { trigger: 'component', state: 'failed', messageId: undefined }, true, false],
])('%s is visible to the members to whom Discord shows it', (_, message, toAlice, toBob) => {
  const seenBy = ({ id }: typeof ALICE) => isVisible({ ...MESSAGE, ...message }, { memberId: id, guildId: 'guild' });
  expect([seenBy(ALICE), seenBy(BOB)]).toEqual([toAlice, toBob]);
});
