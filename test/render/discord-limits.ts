import type { APIEmbed } from 'discord-api-types/v10';
import { expect } from 'vitest';
import { parseForm } from '../../src/sandbox/discord/form-error.ts';
import { EMPTY_REPLY, edited, MessageForm, refuseUnfit } from '../../src/sandbox/discord/message-rules.ts';

/** Whether Discord takes it, by the rules of the emulated one, which test/sandbox/discord holds to Discord's specification. */
export function expectAccepted(embed: APIEmbed): void {
  const json = JSON.stringify({ embeds: [withoutFile(embed)] });
  refuseUnfit(edited(EMPTY_REPLY, parseForm(MessageForm, JSON.parse(json)), []));
  expect(json.isWellFormed()).toBe(true);
}

/** Whether a file comes with it is not the embed's concern. */
function withoutFile(embed: APIEmbed): APIEmbed {
  const { image, ...rest } = embed;
  return image?.url.startsWith('attachment://') ? rest : embed;
}
