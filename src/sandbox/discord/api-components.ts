import { ComponentType } from 'discord-api-types/v10';

import { everyComponent } from './components.ts';

const RANGE = { min_values: 1, max_values: 1 };
const PICTURE = { description: null, spoiler: false };

/** What components of these types have in Discord's answers, even if the bot did not write it. */
const DEFAULTS: Partial<Record<ComponentType, object>> = {
  [ComponentType.StringSelect]: RANGE,
  [ComponentType.UserSelect]: RANGE,
  [ComponentType.RoleSelect]: RANGE,
  [ComponentType.MentionableSelect]: RANGE,
  [ComponentType.ChannelSelect]: RANGE,
  [ComponentType.Thumbnail]: PICTURE,
  [ComponentType.File]: { name: null, size: null, spoiler: false },
  [ComponentType.Separator]: { spacing: 1, divider: true },
  [ComponentType.Container]: { accent_color: null, spoiler: false },
};

/** The components of a message as Discord returns them. */
export function apiComponents(components: readonly object[]): object[] {
  const copies = structuredClone(components) as object[];
  for (const { component } of everyComponent(copies)) {
    Object.assign(component, { ...DEFAULTS[component.type], ...component });
    if ('required' in component) delete component.required; // means something in modals only
    if ('items' in component) component.items = (component.items as object[]).map((item) => ({ ...PICTURE, ...item }));
  }
  return copies;
}
