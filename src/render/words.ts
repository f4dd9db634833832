import { plainMarkdown } from './text.ts';
import { age, clockTime } from './times.ts';

const TURN = 'Your turn comes';

/** Sentences that a reply can be; Markdown, at most 2000 characters. */
export const words = {
  permit: (atMs: number) => `${TURN} at ${clockTime(atMs)}.`,
  noSuchCard: (id: string, fetchedAtMs: number) =>
    `There is no card **${plainMarkdown(id, 300) || '(invisible)'}**, as of ${age(fetchedAtMs)}. An id looks like \`base1-4\`.`,
  renewing: 'This copy is not the newest. A new one is on its way.',
  notRenewed: (why: string) => `This copy is not the newest. ${why}`,
  unknownCommand: 'This command is unknown or out of date. It will work again once the commands are registered anew.',
  outOfDate: 'This is out of date. Please use the command again.',
  broken: 'Something broke on our side. Whoever runs the bot finds more in the log.',
  reportOnItsWay: 'The plan report is on its way; this message will show it.',
  needsKey: 'The plan report needs an API key (CARD_SERVICE_API_KEY).',
  reportFailed: (atMs: number, why: string) => `The plan report was asked for ${age(atMs)}, in vain: ${why}`,
  reportNotAsked: 'The plan report could not be asked for just now.',
};

/** Whether a reply shows only when the turn comes. */
export function isWaitNotice(content: string): boolean {
  return content.startsWith(TURN);
}
