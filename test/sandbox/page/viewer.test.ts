import { expect, it } from 'vitest';
import { isVisible } from '../../../sandbox/page/viewer.ts';
import { changed, table } from '../../table.ts';

const MESSAGE = {
  ...{ messageId: '11', guildId: 'guild', context: 0, member: { id: 'Alice' }, trigger: 'command' },
  ...{ state: 'answered', ephemeral: false },
};

it.each(table`
  a reply | | Alice Bob
  a private reply | ephemeral=true | Alice
  a command on its way | state="sent"; messageId= | Alice
  a reply in another place | guildId="other" |
  a reply in a group | guildId=null; context=2 |
  a reply that was removed | deleted=true |
  a click on its way | trigger="component"; state="sent"; messageId= |
  a click that changed its message | trigger="component"; updatesSource=true |
  and added another | trigger="component"; updatesSource=true; followUps=[{"messageId":"12"}] | Alice Bob
  a click without answer | trigger="component"; state="failed"; messageId= | Alice
`)('%s is visible to the members to whom Discord shows it', (_, changes, to) => {
  const seenBy = (memberId: string) => isVisible(changed(MESSAGE, changes), { memberId, guildId: 'guild' });
  expect(['Alice', 'Bob'].filter(seenBy).join(' ')).toBe(to);
});
