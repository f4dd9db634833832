import type { OptionInput } from './chat.ts';
import type { FileStore, PreparedFile } from './file-store.ts';
import type { OptionValue } from './option-value-rules.ts';

/** Typed options with each file replaced by the id of an attachment. */
export function attach(
  typed: Readonly<Record<string, OptionInput>>,
  channelId: string,
  files: FileStore,
): { values: Record<string, OptionValue>; prepared: PreparedFile[] } {
  const prepared: PreparedFile[] = [];
  const values = Object.entries(typed).map(([name, value]): [string, OptionValue] => {
    if (typeof value !== 'object') return [name, value];
    const file = files.prepare({ contentType: undefined, ...value }, channelId, { ephemeral: true });
    prepared.push(file);
    return [name, file.attachment.id];
  });
  return { values: Object.fromEntries(values), prepared };
}
