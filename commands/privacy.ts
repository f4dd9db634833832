import { joined, plainMarkdown, timestamp } from '../src/render/formats.ts';
import { buttons, formatMessage } from '../src/render/messages.ts';
import { type Command, privately, say } from './command.ts';

/** Names are cut at this length, so that ten fit into one message with the sentences around them. */
const LONGEST_NAME = 80;

export default {
  data: { name: 'privacy' },

  /** Says what the bot keeps about members, and what it keeps about this one: at most 2,000 characters of Markdown. */
  async ask({ requester, locale }, { memberData }) {
    const { counts, lastCards, watches, lists } = await memberData.kept(requester.memberId);
    const { days = 0, requests = 0, saved = 0 } = counts ?? {};
    const isNoCard = lastCards === 'off' || lastCards?.length === 0;
    const isNothing = counts?.days === 0 && isNoCard && watches === 0 && lists === 0;
    const counted = (count: number | undefined) => ({ known: count === undefined ? 'no' : 'yes', count: count ?? 0 });
    const content = joined([
      formatMessage(locale, 'privacyIntro'),
      formatMessage(locale, 'privacyCounts', { ...counted(counts?.days), days, lookups: requests + saved }),
      lastCards !== 'off' && cardsText(lastCards, locale),
      formatMessage(locale, 'privacyWatches', counted(watches)),
      formatMessage(locale, 'privacyLists', counted(lists)),
      formatMessage(locale, 'privacyPending'),
      formatMessage(locale, 'privacyLog'),
      formatMessage(locale, 'privacyNothingElse'),
    ]);
    return privately({ content, ...(!isNothing && { components: forgetButton(locale, 'forget') }) });
  },

  async component({ argument, requester, locale }, { memberData }) {
    if (argument === 'forget') {
      return privately({
        content: formatMessage(locale, 'reallyForget'),
        components: forgetButton(locale, 'really-forget'),
      });
    }
    if (argument !== 'really-forget') return say(locale, 'outOfDate');
    const { isForgotten, dayEndsAtMs } = await memberData.forget(requester.memberId);
    return say(locale, isForgotten ? 'forgotten' : 'notForgotten', { time: timestamp(dayEndsAtMs, 't') });
  },
} satisfies Command;

function forgetButton(locale: string, argument: string) {
  return buttons(locale, { forgetMe: `privacy:${argument}` }, { style: 'danger' });
}

function cardsText(lastCards: readonly string[] | undefined, locale: string): string {
  const cards = lastCards?.map((name) => plainMarkdown(name, LONGEST_NAME)).join(' · ');
  const kept = cards === undefined ? 'unknown' : cards === '' ? 'none' : 'some';
  return formatMessage(locale, 'privacyCards', { kept, cards: cards ?? '' });
}
