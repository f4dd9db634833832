import { expect, it } from 'vitest';
import { LANGUAGES } from '../../src/render/languages.ts';
import { settingsMessage } from '../../src/render/settings-message.ts';
import { parseForm } from '../../src/sandbox/discord/form-error.ts';
import { EMPTY_REPLY, edited, MessageForm, refuseUnfit } from '../../src/sandbox/discord/message-rules.ts';

it.each(LANGUAGES)('Discord takes the settings of a server in %s', (language) => {
  for (const isPrivate of [true, false]) {
    const ids = { language: 'settings:language', replies: 'settings:replies' };
    const { content, components } = settingsMessage(language, { isPrivate }, ids, 'A note.');
    expect(components).toHaveLength(2);
    refuseUnfit(edited(EMPTY_REPLY, parseForm(MessageForm, { content, components }), []));
  }
});
