import { expect, it } from 'vitest';
import { replyLocale } from '../../commands/command.ts';
import { table } from '../table.ts';

it.each(table`
  a private reply speaks as the member | yes | de | fr | ja | de
  with the figures of their region | yes | es-419 | es-ES | | es-419
  a public one as the server has set | | de | fr | ja | ja
  that can be English | | de | fr | en | en
  with the figures of the server, if they go with it | | de | es-419 | es | es-419
  or else those of the member | | es-419 | en-US | es | es-419
  a language that there is no more is not set | | de | fr | xx | fr
  otherwise as Discord knows the server | | de | pt-BR | | pt-BR
  that can be English, if it was chosen | | de | en-GB | | en-GB
  or a language without texts | | de | xx | | xx
  a server that chose none has en-US: as the member | | es-419 | en-US | | es-419
  in direct messages as the member, too | | ja | | | ja
`)('%s: private %s, the member %s, the server %s, set %s: %s', (_, isPrivate, locale = '', server, set, speaks) => {
  expect(replyLocale({ locale, guildLocale: server || undefined }, isPrivate === 'yes', set || undefined)).toBe(speaks);
});
