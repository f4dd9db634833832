import type { APIEmbed } from 'discord-api-types/v10';
import { expect } from 'vitest';
import { parseForm } from '../../src/sandbox/discord/form-error.ts';
import { EMPTY_REPLY, edited, MessageForm, refuseUnfit } from '../../src/sandbox/discord/message-rules.ts';

/**
 * Whether Discord takes it: by the rules of the emulated one, and by the documented limits written out once more, so
 * that neither can be wrong alone. Numbers: resources/message, "Embed limits".
 */
export function expectAccepted(embed: APIEmbed): void {
  refuseUnfit(
    edited(EMPTY_REPLY, parseForm(MessageForm, JSON.parse(JSON.stringify({ embeds: [withoutFile(embed)] }))), []),
  );

  const { title = '', description = '', fields = [], footer, author } = embed;
  expect(title.length).toBeLessThanOrEqual(256);
  expect(description.length).toBeLessThanOrEqual(4_096);
  expect(fields.length).toBeLessThanOrEqual(25);
  for (const { name, value } of fields) {
    expect(name.trim()).not.toBe('');
    expect(value.trim()).not.toBe('');
    expect(name.length).toBeLessThanOrEqual(256);
    expect(value.length).toBeLessThanOrEqual(1_024);
  }
  if (footer) expect(footer.text.trim()).not.toBe('');
  expect((embed.image?.description ?? '').length).toBeLessThanOrEqual(1_024);
  if (author) expect(author.name.trim()).not.toBe('');
  expect((author?.name ?? '').length).toBeLessThanOrEqual(256);
  expect((footer?.text ?? '').length).toBeLessThanOrEqual(2_048);
  const texts = [
    title,
    description,
    footer?.text ?? '',
    author?.name ?? '',
    ...fields.flatMap(({ name, value }) => [name, value]),
  ];
  expect(texts.join('').length).toBeLessThanOrEqual(6_000);
  expect(JSON.stringify(embed).isWellFormed()).toBe(true);
}

/** Whether a file comes with it is not the embed's concern. */
function withoutFile(embed: APIEmbed): APIEmbed {
  const { image, ...rest } = embed;
  return image?.url.startsWith('attachment://') ? rest : embed;
}
