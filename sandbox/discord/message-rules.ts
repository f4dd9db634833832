import { IncomingWebhookInteractionRequestSchema } from 'discord-api-spec/zod';
import {
  type APIButtonComponent,
  type APIEmbed,
  type APIStringSelectComponent,
  ButtonStyle,
  ComponentType,
  MessageFlags,
} from 'discord-api-types/v10';

import { ApiError } from './api-error.ts';
import type { Row, UsableComponent } from './chat.ts';
import type { Upload } from './file-store.ts';
import { type Mistake, notEmulated, otherScheme, type Path, readForm, refuse, textsIn, when, within } from './forms.ts';

/** The body of a message or an edit: an absent field is unchanged, null clears it. */
export interface MessageForm {
  content?: string | null;
  embeds?: APIEmbed[] | null;
  components?: Row[] | null;
  attachments?: AttachmentForm[] | null;
  flags?: number | null;
}

/** A message as it arrives: its body, the files beside it, and where in the request it stands. */
export interface ArrivedMessage {
  form: MessageForm;
  uploads: readonly Upload[];
  at: Path;
}

/** An entry of `attachments`; its id is the number of an uploaded file. */
interface AttachmentForm {
  id: string;
  filename?: string;
  description?: string;
}

const LONGEST_TOTAL = 6_000; // over all embeds of a message; resources/message, "Embed Limits"
const MOST_ROWS = 5; // components/reference, "Legacy Message Component Behavior"
const KINDS = [ComponentType.ActionRow, ComponentType.Button, ComponentType.StringSelect];

/** @throws ApiError 50035 with `at` before every path */
export function readMessage(body: unknown, at: Path = []): MessageForm {
  const schema = IncomingWebhookInteractionRequestSchema;
  const { poll, ...form } = readForm<MessageForm & { poll?: unknown }>(schema, body, at);
  const embeds = form.embeds ?? [];
  const components = form.components ?? [];
  const texts = embeds.flatMap(({ title, description, footer, author, fields = [] }) => [
    ...[title, description, footer?.text, author?.name],
    ...fields.flatMap(({ name, value }) => [name, value]),
  ]);
  // Rules of components do not know kinds that are not emulated.
  refuse([...notEmulated(poll != null, ['poll']), ...within(['components'], kindMistakes(components, KINDS))], at);
  // Of the flags that a bot may set, only this one is emulated; the code is a guess.
  const isFlagged = ((form.flags ?? 0) & ~MessageFlags.Ephemeral) !== 0;
  const mistakes = [
    ...when(isFlagged, ['flags'], 'MESSAGE_FLAGS_INVALID'),
    ...embeds.flatMap((embed, index) => within(['embeds', index], embedMistakes(embed))),
    ...when(
      texts.reduce((sum, text = '') => sum + text.length, 0) > LONGEST_TOTAL,
      ['embeds'],
      'MAX_EMBED_SIZE_EXCEEDED',
    ),
    ...when(components.length > MOST_ROWS, ['components'], 'BASE_TYPE_BAD_LENGTH'),
    ...components.flatMap((row, index) => within(['components', index, 'components'], mistakesInRow(row.components))),
    ...within(['components'], repeatedIds(components)),
  ];
  refuse(mistakes, at);
  // In Discord's answers every field says whether it is inline, even if the bot did not.
  const completed = embeds.map(({ fields, ...embed }) => {
    return { ...embed, ...(fields && { fields: fields.map((field) => ({ inline: false, ...field })) }) };
  });
  return form.embeds ? { ...form, embeds: completed } : form;
}

export function isEphemeral({ flags }: { flags?: number | null }): boolean {
  return ((flags ?? 0) & MessageFlags.Ephemeral) !== 0;
}

/** What this Discord refuses beside what its rules do: nothing, unless a test says so. */
export interface Moderation {
  /** Whether it refuses a text of a message at its path, such as an address that is well-formed and yet not taken. */
  refuses(text: string, path: string): boolean;
  /** Whether AutoMod blocks it where others can see it. */
  blocks(text: string): boolean;
}

/** @throws ApiError 50035 with every path that is refused, or 200000 */
export function moderate(
  { form: { content, embeds, components }, at }: ArrivedMessage,
  isPrivate: boolean,
  { refuses, blocks }: Moderation,
): void {
  const texts = [...textsIn({ content, embeds, components })];
  const refused = texts.filter(({ path, text }) => refuses(text, path.join('.')));
  const code = 'URL_TYPE_INVALID_URL';
  refuse(
    refused.map(({ path }) => ({ path, code })),
    at,
  );
  if (!isPrivate && texts.some(({ text }) => blocks(text))) throw new ApiError('blockedByAutoMod');
}

/** What the specification does not say of an embed: a page is on the web, a picture can be a file of the message. */
function embedMistakes(embed: APIEmbed): Mistake[] {
  const addresses = textsIn(embed).filter(({ path }) => path.at(-1)?.endsWith('url'));
  return [
    ...missingIn(embed).map((path) => ({ path, code: 'BASE_TYPE_REQUIRED' })),
    ...addresses.flatMap(({ path, text }) => {
      const isPage = ['url', 'author.url'].includes(path.join('.'));
      return otherScheme(path, text, ['http', 'https', ...(isPage ? [] : ['attachment'])]);
    }),
  ];
}

/** Texts that, as reported, are neither absent nor blank; and of an embed that nothing can be seen of, the description. */
function missingIn({ title, description, footer, image, thumbnail, author, fields = [] }: APIEmbed): Path[] {
  const isSeen = title || description || footer || image || thumbnail || author || fields.length > 0;
  const needed: [Path, unknown][] = [
    [['description'], isSeen],
    [['author', 'name'], !author || author.name],
    [['footer', 'text'], !footer || footer.text],
    [['image', 'url'], !image || image.url],
    [['thumbnail', 'url'], !thumbnail || thumbnail.url],
    ...fields.flatMap((field, at) =>
      (['name', 'value'] as const).map((key): [Path, string] => [['fields', at, key], field[key]]),
    ),
  ];
  return needed.flatMap(([path, isThere]) => (isThere ? [] : [path]));
}

/** components/reference, "Action Row"; the code as reported: discord-api-docs#3395 */
function mistakesInRow(components: Row['components']): Mistake[] {
  const isTooWide = components.length > 1 && components.some(({ type }) => type === ComponentType.StringSelect);
  return [
    ...when(isTooWide, [1], 'COMPONENT_LAYOUT_WIDTH_EXCEEDED'),
    ...components.flatMap((each, index) =>
      within([index], each.type === ComponentType.Button ? mistakesInButton(each) : mistakesInMenu(each)),
    ),
  ];
}

/** components/reference, "Button Structure": a link has a url, any other button a custom id, and none has both. */
function mistakesInButton(button: APIButtonComponent): Mistake[] {
  const given = button as { custom_id?: string; url?: string };
  const [needed, other] =
    button.style === ButtonStyle.Link ? (['url', 'custom_id'] as const) : (['custom_id', 'url'] as const);
  return [
    ...otherScheme(['url'], given.url, ['http', 'https', 'discord']),
    ...when(given[needed] === undefined, [needed], 'BASE_TYPE_REQUIRED'),
    ...when(given[other] !== undefined, [other], 'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE'),
  ];
}

/** components/reference, "String Select". The codes are guesses. */
function mistakesInMenu({ options, min_values = 1, max_values = 1 }: APIStringSelectComponent): Mistake[] {
  const values = options.map(({ value }) => value);
  const again = values.findIndex((value, index) => values.indexOf(value) < index);
  return [
    ...when(again !== -1, ['options', again, 'value'], 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED'),
    ...when(min_values > max_values, ['min_values'], 'SELECT_COMPONENT_MIN_VALUES_TOO_LARGE'),
  ];
}

/** Kinds of components, at any depth, that are not among these; and premium buttons. */
export function kindMistakes(components: readonly unknown[], emulated: readonly ComponentType[]): Mistake[] {
  return everyComponent(components)
    .toArray()
    .flatMap(({ component, path }) => [
      ...notEmulated(!emulated.includes(component.type), path),
      ...notEmulated(component.style === ButtonStyle.Premium, [...path, 'style']),
      ...notEmulated(component.sku_id !== undefined, [...path, 'sku_id']),
    ]);
}

/** The ids of the components of a message or a form must be unique. The first code as reported: discord-api-docs#3673. */
export function repeatedIds(components: readonly unknown[]): Mistake[] {
  const placed = [...everyComponent(components)];
  return (['custom_id', 'id'] as const).flatMap((key) => {
    const ids = placed.map(({ component }) => component[key]);
    return placed.flatMap(({ path }, index) => {
      const isUsed = Boolean(ids[index]) && ids.indexOf(ids[index]) < index; // 0 means no id
      return when(isUsed, [...path, key], `COMPONENT_${key.toUpperCase()}_DUPLICATED`);
    });
  });
}

interface PlacedComponent {
  component: { type: ComponentType; id?: number; custom_id?: string; style?: number; sku_id?: string };
  /** Its path in the form. */
  path: Path;
}

/** Every component at any depth, in reading order. */
function* everyComponent(components: readonly unknown[], at: Path = []): Generator<PlacedComponent> {
  for (const [index, component] of components.entries()) yield* componentsWithin(component, [...at, index]);
}

function* componentsWithin(component: unknown, path: Path): Generator<PlacedComponent> {
  if (typeof component !== 'object' || component === null || !('type' in component)) return;
  yield { component: component as PlacedComponent['component'], path };
  const { component: labelled, components = [] } = component as Record<string, unknown>;
  yield* everyComponent(components as unknown[], [...path, 'components']);
  yield* componentsWithin(labelled, [...path, 'component']);
}

export function findComponent(components: readonly Row[], customId: string): UsableComponent | undefined {
  return components
    .flatMap((row) => row.components)
    .find((component) => 'custom_id' in component && component.custom_id === customId);
}

/** The components, each with an id; given ids are kept. components/reference, "Anatomy of a Component". */
export function withIds<T>(components: readonly T[]): T[] {
  const numbered = structuredClone(components) as T[];
  const placed = [...everyComponent(numbered)].map(({ component }) => component);
  const taken = new Set(placed.map(({ id }) => id));
  let next = 1;
  for (const component of placed.filter(({ id }) => !id)) {
    while (taken.has(next)) next++;
    component.id = next++;
  }
  return numbered;
}
