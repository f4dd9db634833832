import { expect, it } from 'vitest';
import { LANGUAGES } from '../../src/render/languages.ts';
import { settingsMessage } from '../../src/render/settings-message.ts';
import { expectAccepted } from './discord-limits.ts';

it.each(LANGUAGES)('Discord takes the settings of a server in %s', (language) => {
  for (const isPrivate of [true, false]) {
    const { content, components } = settingsMessage(language, { isPrivate }, 'A note.');
    expect(components).toHaveLength(2);
    expectAccepted({ content, components });
  }
});
