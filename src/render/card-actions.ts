import type { APIActionRowComponent, APIButtonComponent } from 'discord-api-types/v10';
import { formatMessage, type PlainMessageKey } from './messages.ts';

/** The custom ids of the buttons under a card; one that is absent has no button. */
export interface ActionIds {
  printings?: string;
  everyone?: string;
  delete?: string;
}

// discord-api-types has these as enums, which render/ does not load.
const ACTION_ROW = 1;
const BUTTON = 2;
const SECONDARY = 2;
/** Discord's limit, in UTF-16 units, which are never fewer than characters. */
const MAX_ID_LENGTH = 100;

const LABELS = {
  printings: 'showPrintings',
  everyone: 'showToEveryone',
  delete: 'deleteReply',
} as const satisfies Record<keyof ActionIds, PlainMessageKey>;

/** One row of buttons; none without a custom id that fits, since Discord refuses an empty row. */
export function cardActions(locale: string, ids: ActionIds): APIActionRowComponent<APIButtonComponent>[] {
  const actions = (['printings', 'everyone', 'delete'] as const).flatMap((action): APIButtonComponent[] => {
    const customId = ids[action];
    if (customId === undefined || customId.length > MAX_ID_LENGTH) return [];
    return [{ type: BUTTON, style: SECONDARY, custom_id: customId, label: formatMessage(locale, LABELS[action]) }];
  });
  return actions.length === 0 ? [] : [{ type: ACTION_ROW, components: actions }];
}
