import { isOfDay, leastOf } from '../src/limiter/windows.ts';
import type { UsageKnown } from '../src/lookup/usage-reports.ts';
import { requestsLately, runsOutAtMs } from '../src/quota/ledger.ts';
import { age } from '../src/render/formats.ts';
import { formatMessage } from '../src/render/messages.ts';
import { dayFile, usageDay } from '../src/render/usage-day.ts';
import { usageEmbed, usageFigures } from '../src/render/usage-embed.ts';
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
    const note = later ? formatMessage(use.locale, 'reportOnItsWay') : missing(now, use, services);
    return {
      kind: 'reply',
      isPrivate: true,
      source: now.report && now.report.atMs >= use.receivedAtMs ? 'service' : 'bot',
      message: await show(now, note, use, services),
      ...(later && {
        correction: later.then((it) => show(it, missing(it, use, services), use, services)),
      }),
    };
  },
} satisfies Command;

function missing({ report, missing }: UsageKnown, { locale }: Use, { usage }: Services): string | undefined {
  if (usage.offer === 'needsKey') return formatMessage(locale, 'reportNeedsKey');
  if (usage.offer === 'none') return undefined;
  if (missing === 'notRequested' || (!missing && !report)) return formatMessage(locale, 'reportNotAsked');
  return missing && formatMessage(locale, 'reportFailed', { since: age(missing.atMs), why: missing.error.name });
}

async function show(
  { report }: UsageKnown,
  missing: string | undefined,
  use: Use,
  services: Services,
): Promise<Message> {
  const { limiter, ledger, budget, lookupQueue } = services;
  const [all, ofWatches, hours, server, foreign, topMembers] = await Promise.all([
    ledger.today(),
    ledger.watchesToday(),
    ledger.hours(),
    ledger.guildToday(use.requester),
    use.manageGuild ? ledger.foreignToday() : undefined,
    use.manageGuild ? ledger.topMembers(use.requester, TOP_MEMBERS) : [],
  ]);
  const nowMs = Date.now();
  const { stop, isProbing, trouble, learned, storeAwaitedUntilMs, windows } = limiter.view();
  const quota = leastOf(windows.filter(isOfDay));
  const counted = budget.day === undefined ? all.requests : undefined;
  const figures = usageFigures({ report, quota, counted, nowMs });
  const ofDay = windows.find((window) => isOfDay(window) && !window.isOurCount);
  const dayRunsOutAtMs = ofDay && runsOutAtMs(ofDay, nowMs, requestsLately(hours, nowMs));
  const { locale } = use;
  const caps = budget.caps(use.requester);
  const day = usageDay(hours, figures.today, stop?.reason === 'day' ? undefined : dayRunsOutAtMs, nowMs);
  return {
    embeds: [
      usageEmbed({
        stop,
        isProbing,
        hasFailed: trouble !== undefined,
        learned,
        isStoreAway: storeAwaitedUntilMs !== undefined,
        missing,
        figures,
        windows: windows
          .filter((window) => !isOfDay(window))
          .map((window) => ({ ...window, runsOutAtMs: runsOutAtMs(window, nowMs) })),
        reportAtMs: report?.atMs,
        runsOutAtMs: dayRunsOutAtMs,
        day,
        everybody: { ...all, requests: all.requests - ofWatches.requests, saved: all.saved - ofWatches.saved },
        spentOnWatches: ofWatches.requests,
        server: { ...server, cap: caps.guild, memberCap: caps.member },
        foreign: foreign && { ...foreign, cap: budget.caps({ isInstalled: false }).guild },
        topMembers,
        waitingNow: lookupQueue.length,
        nowMs,
        locale,
      }),
    ],
    ...(day && { files: [await dayFile(day, locale)] }),
  };
}
