import { ComponentType, SelectMenuDefaultValueType as DefaultType } from 'discord-api-types/v10';
import * as z from 'zod';

import { channelTypes, component, customId, emoji, option } from './component-fields.ts';
import { integer, list, snowflake, text } from './field-rules.ts';

// The numbers here: components/reference, "String Select" to "Channel Select"
const common = {
  custom_id: customId,
  placeholder: text({ max: 150 }).exactOptional(),
  min_values: integer({ min: 0, max: 25 }).exactOptional(),
  max_values: integer({ min: 1, max: 25 }).exactOptional(),
  disabled: z.boolean().exactOptional(),
  required: z.boolean().exactOptional(),
};

const StringSelect = component(ComponentType.StringSelect, {
  ...common,
  options: list(option.extend({ emoji: emoji.exactOptional() }), { min: 1, max: 25 }),
}).superRefine((menu, context) => {
  refuseRange(menu, context);
  const values = menu.options.map(({ value }) => value);
  const repeated = values.findIndex((value, index) => values.indexOf(value) < index);
  if (repeated === -1) return;
  const params = { code: 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED' };
  const message = 'The specified option value is already used';
  context.addIssue({ code: 'custom', params, message, path: ['options', repeated, 'value'] });
});

/** A menu whose options Discord provides. */
function filled<T extends ComponentType>(type: T, ...defaults: [DefaultType, ...DefaultType[]]) {
  return component(type, {
    ...common,
    channel_types: channelTypes.exactOptional(),
    default_values: z.array(z.object({ id: snowflake, type: z.literal(defaults) })).exactOptional(),
  }).superRefine((menu, context) => refuseRange(menu as Range, context));
}

/** The select menus of messages and modals. Leaf codes specific to them are guesses. */
export const SELECTS = [
  StringSelect,
  filled(ComponentType.UserSelect, DefaultType.User),
  filled(ComponentType.RoleSelect, DefaultType.Role),
  filled(ComponentType.MentionableSelect, DefaultType.User, DefaultType.Role),
  filled(ComponentType.ChannelSelect, DefaultType.Channel),
] as const;

interface Range {
  min_values?: number;
  max_values?: number;
  default_values?: unknown[];
}

/** The minimum must not exceed the maximum, and the number of defaults must be within them. */
function refuseRange(menu: Range, context: z.RefinementCtx): void {
  const { min_values: min = 1, max_values: max = 1, default_values: values = [] } = menu;
  if (menu.min_values !== undefined && min > max) {
    const params = { code: 'SELECT_COMPONENT_MIN_VALUES_TOO_LARGE' };
    const message = 'The minimum must not be larger than the maximum.';
    context.addIssue({ code: 'custom', params, message, path: ['min_values'] });
  } else if (values.length > 0 && (values.length < min || values.length > max)) {
    const params = { code: 'SELECT_COMPONENT_INVALID_DEFAULT_VALUES' };
    const message = 'The number of default values must be within the range.';
    context.addIssue({ code: 'custom', params, message, path: ['default_values'] });
  }
}
