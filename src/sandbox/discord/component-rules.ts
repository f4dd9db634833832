import { type APIMessageTopLevelComponent, ButtonStyle, ComponentType } from 'discord-api-types/v10';
import * as z from 'zod';

import { altText, component, customId, emoji, media, TextDisplay } from './component-fields.ts';
import { address, complaint, integer, list, snowflake, text, withoutAnyNulls } from './field-rules.ts';
import { SELECTS } from './select-rules.ts';

const spoiler = z.boolean().exactOptional();

const Button = component(ComponentType.Button, {
  style: integer({ min: ButtonStyle.Primary, max: ButtonStyle.Premium }),
  label: text({ max: 80 }).exactOptional(),
  emoji: emoji.exactOptional(),
  custom_id: customId.exactOptional(),
  sku_id: snowflake.exactOptional(),
  url: address(['http', 'https', 'discord'], 512).exactOptional(),
  disabled: z.boolean().exactOptional(),
}).superRefine((button, context) => {
  const { needs, excludes, words } = BUTTON_FIELDS[button.style] ?? ORDINARY;
  if (button[needs] === undefined) {
    const code = `BUTTON_COMPONENT_${needs.toUpperCase()}_REQUIRED`;
    context.addIssue({ code: 'custom', params: { code }, message: `A ${words} is required`, path: [needs] });
  }
  for (const field of excludes.filter((each) => button[each] !== undefined)) {
    const code = `BUTTON_COMPONENT_${needs.toUpperCase()}_${field.toUpperCase()}_MUTUALLY_EXCLUSIVE`;
    const message = `A ${words} and ${field.replace('_', ' ')} cannot both be specified`;
    context.addIssue({ code: 'custom', params: { code }, message, path: [field] });
  }
});

type ButtonField = 'custom_id' | 'url' | 'sku_id' | 'label' | 'emoji';
interface FieldsOfStyle {
  needs: ButtonField;
  excludes: readonly ButtonField[];
  words: string;
}

// components/reference, "Button Structure". The messages are as reported, the codes are guesses.
const ORDINARY: FieldsOfStyle = { needs: 'custom_id', excludes: ['url', 'sku_id'], words: 'custom id' };
const BUTTON_FIELDS: Record<number, FieldsOfStyle> = {
  [ButtonStyle.Link]: { needs: 'url', excludes: ['custom_id', 'sku_id'], words: 'url' },
  [ButtonStyle.Premium]: { needs: 'sku_id', excludes: ['custom_id', 'label', 'url', 'emoji'], words: 'sku id' },
};

const ActionRow = component(ComponentType.ActionRow, {
  components: list(z.discriminatedUnion('type', [Button, ...SELECTS]), { min: 1, max: 5 }),
}).refine(
  ({ components }) => components.length === 1 || components.every(({ type }) => type === ComponentType.Button),
  {
    ...complaint('COMPONENT_LAYOUT_WIDTH_EXCEEDED', 'The specified component exceeds the maximum width'),
    path: ['components', 1],
  },
);

const Thumbnail = component(ComponentType.Thumbnail, { media, description: altText, spoiler });

const Section = component(ComponentType.Section, {
  components: list(z.discriminatedUnion('type', [TextDisplay]), { min: 1, max: 3 }),
  accessory: z.discriminatedUnion('type', [Button, Thumbnail]),
});

const MediaGallery = component(ComponentType.MediaGallery, {
  items: list(z.object({ media, description: altText, spoiler }), { min: 1, max: 10 }),
});

const File = component(ComponentType.File, { file: z.object({ url: address(['attachment']) }), spoiler });

const Separator = component(ComponentType.Separator, {
  divider: z.boolean().exactOptional(),
  spacing: integer({ min: 1, max: 2 }).exactOptional(),
});

const inContainer = [ActionRow, TextDisplay, Section, MediaGallery, Separator, File] as const;

const Container = component(ComponentType.Container, {
  components: list(z.discriminatedUnion('type', inContainer), { min: 1, max: 40 }),
  accent_color: integer({ min: 0, max: 0xff_ff_ff }).nullable().exactOptional(),
  spoiler,
});

/** Validates each component of a message; `layout-rules.ts` validates their combination. */
export const MessageComponents = z
  .preprocess(withoutAnyNulls, z.array(z.discriminatedUnion('type', [...inContainer, Container])))
  .transform((components) => components as unknown as APIMessageTopLevelComponent[]);
