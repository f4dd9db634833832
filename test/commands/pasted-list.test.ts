import { expect, it } from 'vitest';
import type { Services } from '../../commands/command.ts';
import { showList } from '../../commands/pasted-list.ts';
import type { ListStore } from '../../src/lists/kept-lists.ts';

const requester = { memberId: 'alice', guildId: 'server', isInstalled: true };

it('a list that is gone before everybody sees it leaves a sentence that can be taken back', async () => {
  const lists = { read: async () => undefined } as Partial<ListStore>;
  const asked = { queries: [], unclear: [], unsearched: [], isPrivate: false };
  const view = { locale: 'en-US', quota: undefined, currency: undefined, display: undefined, hasPrintings: false };
  const shown = await showList(
    { asked, requester, canReplyPublicly: true },
    { id: '1', ceiling: 0 },
    { cards: [], requests: 0 },
    { ...view, canReplyPublicly: true, isPrivate: false } as Parameters<typeof showList>[3],
    { lists } as Services,
  );
  expect(shown.content).toContain('I no longer have that list');
  expect(JSON.stringify(shown.components)).toContain('"label":"Delete"');
});
