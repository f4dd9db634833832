import type { APISelectMenuOption } from 'discord-api-types/v10';
import type { Message } from '../model/message.ts';
import { clip } from './formats.ts';
import { formatMessage, type PlainMessageKey } from './messages.ts';

/**
 * Discord's limit of a custom id, a label, a value, a description and the name of a choice
 * (https://docs.discord.com/developers/components/reference). In UTF-16 units, which are never fewer than characters.
 */
export const MAX_LENGTH = 100;
const MAX_BUTTON_LABEL = 80;
/** Discord's limit of an embed's description. */
export const MAX_DESCRIPTION = 4_096;

// discord-api-types has these as enums, which render/ does not load.
const ACTION_ROW = 1;
const BUTTON = 2;
const STRING_SELECT = 3;
const STYLES = { plain: 2, danger: 4 } as const;

/** At most one. */
type Rows = Required<Message>['components'];

/**
 * One row of buttons; none when no custom id fits, since Discord refuses an empty row.
 *
 * @param customIds by the message that is the label; one that does not fit has no button
 * @param name of the card of `showCard`
 */
export function buttons(
  locale: string,
  customIds: Partial<Record<PlainMessageKey | 'showCard', string | false>>,
  { style = 'plain', name = '' }: { style?: keyof typeof STYLES; name?: string } = {},
): Rows {
  const components = Object.entries(customIds).flatMap(([key, custom_id]) => {
    if (custom_id === false || custom_id.length > MAX_LENGTH) return [];
    const text = formatMessage(locale, key as 'showCard', { name });
    const label = text.length > MAX_BUTTON_LABEL ? clip(text, MAX_BUTTON_LABEL) : text;
    return [{ type: BUTTON, style: STYLES[style], custom_id, label } as const];
  });
  return components.length === 0 ? [] : [{ type: ACTION_ROW, components }];
}

/** One menu; none without options, since Discord refuses an empty one. */
export function menu(placeholder: string, custom_id: string, options: APISelectMenuOption[]): Rows {
  const select = { type: STRING_SELECT, custom_id, placeholder, options } as const;
  return options.length === 0 ? [] : [{ type: ACTION_ROW, components: [select] }];
}
