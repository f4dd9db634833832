import { readFile, writeFile } from 'node:fs/promises';
import type { ChatMessage, MessageBody } from '../../sandbox/discord/chat.ts';
import { type TimestampStyle, timestampText } from '../../sandbox/page/timestamp.ts';

/** What the replies say: the name of each, then its words. */
const FILE = 'docs/replies/words.txt';
const NAME = /^# (.+)\n/m;
const TIMESTAMP = /<t:(\d+):(\w)>/g;
/** A wait that is shown with its seconds: some of it passes meanwhile, and it is lengthened at random. */
const TO_THE_SECOND = /(\d+):\d\d:\d\d/g;

/** A message or form of the bot from above to below, in Discord's markdown. Buttons stand in brackets, pictures in braces. */
export function wordsOf(message: MessageBody & Partial<Pick<ChatMessage, 'ephemeral' | 'modal'>>): string {
  const { content, embeds, attachments, components, ephemeral, modal } = message;
  const lines = [
    content,
    ...embeds.flatMap(({ title, description, fields = [], image, thumbnail, footer }) => [
      title,
      description,
      ...fields.map(({ name, value }) => `${name}: ${value}`),
      ...[image, thumbnail].map((picture) => picture && '{picture}'),
      footer?.text,
    ]),
    ...attachments.map(({ filename, size, description }) => `{${description ?? `${filename}, ${size} bytes`}}`),
    ...components.map((row) => row.components.map(componentWords).join(' ')),
    ephemeral && 'Only you can see this',
    modal?.title,
    ...(modal?.components ?? []).map(({ label, component }) => `${label}: ${component.placeholder}`),
  ];
  return lines.filter(Boolean).join('\n').replaceAll(TIMESTAMP, shownTime).replaceAll(TO_THE_SECOND, '$1:mm:ss');
}

type Component = MessageBody['components'][number]['components'][number];

function componentWords(component: Component): string {
  if (!('options' in component)) return `[${'label' in component ? component.label : ''}]`;
  const options = component.options.map((each) => {
    const words = [each.label, each.description].filter(Boolean).join(' · ');
    return each.default ? `- ${words} (chosen)` : `- ${words}`;
  });
  return [`[${component.placeholder}]`, ...options].join('\n');
}

function shownTime(_: string, seconds: string, style: string): string {
  const view = { locale: 'en-US', nowMs: Date.now(), timeZone: 'UTC' };
  return timestampText(Number(seconds), style as TimestampStyle, view);
}

/** The words of each reply when they were written down. */
export async function readWords(): Promise<Map<string, string>> {
  const [, ...parts] = (await readFile(FILE, 'utf8')).split(NAME);
  const entries = Array.from({ length: parts.length / 2 }, (_, at) => parts.slice(2 * at, 2 * at + 2));
  return new Map(entries.map(([name = '', words = '']) => [name, words.trimEnd()]));
}

export async function writeWords(words: ReadonlyMap<string, string>): Promise<void> {
  const parts = Array.from(words, ([name, said]) => `# ${name}\n${said}\n`);
  await writeFile(FILE, parts.join('\n'));
}
