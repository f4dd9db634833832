import type { Alert, Watched } from './alert-conditions.ts';

interface AlertText {
  begins: (watched: Watched) => string;
  over: string;
}

/** What operators read in Discord. Times to come are Discord's own, so that each reads them in their time zone. */
const TEXTS: Record<Alert, AlertText> = {
  day80: {
    begins: (watched) => `⚠️ 80 % of today's requests are used.${resets(watched)}`,
    over: "✅ Over: less than 80 % of today's requests are used.",
  },
  day95: {
    begins: (watched) => `⚠️ 95 % of today's requests are used. Saved cards are no longer refreshed.${resets(watched)}`,
    over: "✅ Over: less than 95 % of today's requests are used.",
  },
  day100: {
    begins: (watched) => `🛑 Today's requests are used up. Saved cards are still shown.${resets(watched)}`,
    over: '✅ Over: requests are available again.',
  },
  keyRefused: {
    begins: () => '🛑 The card service refuses the API key. Check CARD_SERVICE_API_KEY.',
    over: '✅ Over: the card service accepts the API key.',
  },
  serviceDown: {
    begins: ({ serviceDownSinceMs }) =>
      `🛑 The card service has not answered since ${time(serviceDownSinceMs)}. Saved cards are still shown.`,
    over: '✅ Over: the card service answers again.',
  },
  redisAway: {
    begins: ({ redisAwaySinceMs }) =>
      `🛑 A process has not reached Redis since ${time(redisAwaySinceMs)}. It continues with its share of the plan.`,
    over: '✅ Over: Redis can be reached again.',
  },
  gatewayAway: {
    begins: ({ gatewayAwaySinceMs }) =>
      `🛑 A process has not been fully connected to Discord since ${time(gatewayAwaySinceMs)}: it misses commands.`,
    over: '✅ Over: the bot is connected to Discord again.',
  },
  refused: {
    begins: ({ refusal = '' }) => `🛑 ${refusal}`,
    over: '✅ Over: Discord accepts the bot again.',
  },
};

export function alertText(alert: Alert, isDue: boolean, watched: Watched): string {
  const { begins, over } = TEXTS[alert];
  return isDue ? begins(watched) : over;
}

function resets({ quota, breaker }: Watched): string {
  const atMs = breaker?.reason === 'day' ? breaker.untilMs : quota?.resetsAtMs;
  return atMs === undefined ? '' : ` The quota resets on ${time(atMs)}.`;
}

function time(atMs: number | undefined): string {
  return `<t:${Math.round((atMs ?? Date.now()) / 1000)}:f>`;
}
