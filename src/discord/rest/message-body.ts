import type { RawFile } from 'discord.js';
import type { ReplyMessage } from '../../replies/deferred-reply.ts';

/** A message as Discord's REST takes it, with its files as parts of their own. */
export function messageBody({ files = [], ...message }: ReplyMessage): { body: object; files: RawFile[] } {
  const attachments = files.map(({ name, description }, at) => ({ id: String(at), filename: name, description }));
  return {
    body: { ...message, ...(attachments.length > 0 && { attachments }) },
    files: files.map(({ name, data, contentType }) => ({ name, data: Buffer.from(data), contentType })),
  };
}
