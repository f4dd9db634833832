import type { KeptAboutMember } from '../src/privacy/member-data.ts';
import { buttons } from '../src/render/components.ts';
import { plainMarkdown, timestamp } from '../src/render/formats.ts';
import { formatMessage } from '../src/render/messages.ts';
import { type Command, privately, say } from './command.ts';

const FORGET = 'forget';
const REALLY_FORGET = 'really-forget';
/** Names are cut at this length, so that ten fit into one message with the sentences around them. */
const LONGEST_NAME = 80;

export default {
  data: { name: 'privacy' },

  async ask({ requester, locale }, { memberData }) {
    const kept = await memberData.kept(requester.memberId);
    const { counts, lastCards, watches, lists } = kept;
    const isNoCard = lastCards === 'off' || lastCards?.length === 0;
    const isNothing = counts?.days === 0 && isNoCard && watches === 0 && lists === 0;
    return privately({
      content: keptText(kept, locale),
      ...(!isNothing && { components: forgetButton(locale, FORGET) }),
    });
  },

  async component({ argument, requester, locale }, { memberData }) {
    if (argument === FORGET) {
      const content = formatMessage(locale, 'reallyForget');
      return privately({ content, components: forgetButton(locale, REALLY_FORGET) });
    }
    if (argument !== REALLY_FORGET) return say(locale, 'outOfDate');
    const { isForgotten, dayEndsAtMs } = await memberData.forget(requester.memberId);
    return say(locale, isForgotten ? 'forgotten' : 'notForgotten', { time: timestamp(dayEndsAtMs, 't') });
  },
} satisfies Command;

function forgetButton(locale: string, argument: string) {
  return buttons(locale, { forgetMe: `privacy:${argument}` }, { style: 'danger' });
}

/** Says what the bot keeps about members, and what it keeps about this one: at most 2,000 characters of Markdown. */
function keptText({ counts, lastCards, watches, lists }: KeptAboutMember, locale: string): string {
  const { days, requests, saved } = counts ?? { days: 0, requests: 0, saved: 0 };
  return [
    formatMessage(locale, 'privacyIntro'),
    formatMessage(locale, 'privacyCounts', { known: isKnown(counts), days, lookups: requests + saved }),
    ...(lastCards === 'off' ? [] : [cardsText(lastCards, locale)]),
    formatMessage(locale, 'privacyWatches', { known: isKnown(watches), count: watches ?? 0 }),
    formatMessage(locale, 'privacyLists', { known: isKnown(lists), count: lists ?? 0 }),
    formatMessage(locale, 'privacyPending'),
    formatMessage(locale, 'privacyLog'),
    formatMessage(locale, 'privacyNothingElse'),
  ].join('\n');
}

function cardsText(lastCards: readonly string[] | undefined, locale: string): string {
  const cards = lastCards?.map((name) => plainMarkdown(name, LONGEST_NAME)).join(' · ');
  const kept = cards === undefined ? 'unknown' : cards === '' ? 'none' : 'some';
  return formatMessage(locale, 'privacyCards', { kept, cards: cards ?? '' });
}

function isKnown(value: unknown): 'yes' | 'no' {
  return value === undefined ? 'no' : 'yes';
}
