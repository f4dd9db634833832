import type { Message } from '../src/model/message.ts';
import { type ButtonRow, buttons } from '../src/render/components.ts';
import { customId } from './card-actions.ts';

/** Discord's limit. */
const MOST_IN_ROW = 5;

/** A public reply with the button that takes it back: beside its other buttons, or below its menus, which leave room for it. */
export function withDelete(message: Message, locale: string): Message {
  const rows = message.components ?? [];
  const added = buttons(locale, { deleteReply: customId({ kind: 'delete' }) });
  const last = rows.at(-1);
  if (!isOfButtons(last) || last.components.length === MOST_IN_ROW)
    return { ...message, components: [...rows, ...added] };
  const together = { ...last, components: [...last.components, ...added.flatMap(({ components }) => components)] };
  return { ...message, components: [...rows.slice(0, -1), together] };
}

function isOfButtons(row: NonNullable<Message['components']>[number] | undefined): row is ButtonRow {
  return row?.components.every(({ type }) => type === BUTTON) ?? false;
}

/** The figure stands in an enum of discord-api-types, which this need not load. */
const BUTTON = 2;
