import { nextUtcMidnightMs } from '../time/utc-day.ts';
import { clockTime, plainMarkdown } from './formats.ts';
import { formatMessage } from './messages.ts';

/** What is kept about the member who asks. */
export interface PrivacyView {
  /** The sums of all days that are kept. `saved` are answers without a request. */
  counts: { days: number; requests: number; saved: number };
  /** Names, the latest first; `undefined` when they are kept of nobody. */
  lastCards: readonly string[] | undefined;
}

/** Ten of them leave room for the sentences around them. */
const LONGEST_NAME = 80;

/** What the bot keeps of members, and what that is for this one: at most 2,000 characters of Markdown. */
export function privacyText({ counts: { days, requests, saved }, lastCards }: PrivacyView, locale: string): string {
  return [
    formatMessage(locale, 'privacyIntro'),
    formatMessage(locale, 'privacyCounts', { days, lookups: requests + saved }),
    ...(lastCards ? [cardsText(lastCards, locale)] : []),
    formatMessage(locale, 'privacyPending'),
    formatMessage(locale, 'privacyLog'),
    formatMessage(locale, 'privacyNothingElse'),
  ].join('\n');
}

/** What a member is told once they asked for deletion at `atMs`. */
export function forgottenText(isForgotten: boolean, atMs: number, locale: string): string {
  const time = clockTime(nextUtcMidnightMs(atMs));
  return formatMessage(locale, isForgotten ? 'forgotten' : 'notForgotten', { time });
}

function cardsText(lastCards: readonly string[], locale: string): string {
  if (lastCards.length === 0) return formatMessage(locale, 'privacyNoCards');
  const cards = lastCards.map((name) => plainMarkdown(name, LONGEST_NAME)).join(' · ');
  return formatMessage(locale, 'privacyCards', { cards });
}
