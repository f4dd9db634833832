import { isOfDay, leastOf } from '../src/limiter/windows.ts';
import type { UsageKnown } from '../src/lookup/usage-reports.ts';
import type { WindowQuota } from '../src/model/quota.ts';
import { requestsLately, runsOutAtMs } from '../src/quota/ledger.ts';
import { age } from '../src/render/formats.ts';
import { formatMessage } from '../src/render/messages.ts';
import { usageMessage } from '../src/render/usage-message.ts';
import type { Command, Message, Services, Use } from './command.ts';

/**
 * A report that takes longer than this after the command is shown as a correction. Discord allows 3 s for the first
 * reply, which includes a wait when its own rate limit delays that reply.
 */
const LONGEST_WAIT_MS = 1_500;
const TOP_MEMBERS = 5;

export default {
  data: { name: 'usage', isForManagers: true },

  async ask(use, services) {
    const waitMs = use.receivedAtMs + LONGEST_WAIT_MS - Date.now();
    const { now, later } = await services.usage.ask(use.requester, waitMs);
    return {
      kind: 'reply',
      isPrivate: true,
      source: now.report && now.report.atMs >= use.receivedAtMs ? 'service' : 'bot',
      message: await shown(now, use, services, later && formatMessage(use.locale, 'reportOnItsWay')),
      ...(later && { correction: later.then((known) => shown(known, use, services)) }),
    };
  },
} satisfies Command;

function whyMissing({ report, missing }: UsageKnown, { locale }: Use, { usage }: Services): string | undefined {
  if (usage.offer === 'needsKey') return formatMessage(locale, 'reportNeedsKey');
  if (usage.offer === 'none') return undefined;
  if (missing === 'notRequested' || (!missing && !report)) return formatMessage(locale, 'reportNotAsked');
  return missing && formatMessage(locale, 'reportFailed', { since: age(missing.atMs), why: missing.error.name });
}

async function shown(
  known: UsageKnown,
  use: Use,
  services: Services,
  missing = whyMissing(known, use, services),
): Promise<Message> {
  const { requester, manageGuild, locale } = use;
  const { limiter, ledger, budget, lookupQueue } = services;
  const [hours, ofWatches, server, foreign, topMembers] = await Promise.all([
    ledger.hours(),
    ledger.watchesToday(),
    ledger.guildToday(requester),
    manageGuild ? ledger.foreignToday() : undefined,
    manageGuild ? ledger.topMembers(requester, TOP_MEMBERS) : [],
  ]);
  const nowMs = Date.now();
  const view = limiter.view();
  const lately = requestsLately(hours, nowMs);
  const withEnd = (window: WindowQuota) => ({
    ...window,
    runsOutAtMs: runsOutAtMs(window, nowMs, isOfDay(window) ? lately : undefined),
  });
  const ofDay = leastOf(view.windows.filter(isOfDay));
  const caps = budget.caps(requester);
  return usageMessage({
    ...view,
    missing,
    report: known.report,
    hours,
    ofWatches,
    topMembers,
    nowMs,
    locale,
    today: {
      ...(ofDay && withEnd(ofDay)),
      // Nobody tells how many there are in a day.
      ...(budget.day === undefined && { used: hours.reduce((sum, { requests }) => sum + requests, 0) }),
    },
    windows: view.windows.filter((window) => !isOfDay(window)).map(withEnd),
    server: { ...server, cap: caps.guild, memberCap: caps.member },
    foreign: foreign && { ...foreign, cap: budget.caps({ isInstalled: false }).guild },
    waitingNow: lookupQueue.length,
  });
}
