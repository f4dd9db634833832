/**
 * Every text that members read, in English: ICU messages (https://unicode-org.github.io/icu/userguide/format_parse/messages).
 * At most 2,000 characters where a message is a whole reply, 256 in a field's name, 1,024 in its value; `{since}` and
 * `{time}` are Discord's time stamps, `{from}` is one of the times to come below.
 */
export const en = {
  // Times to come.
  now: 'now',
  atTime: 'at {time}',
  onDate: 'on {time}',
  inAMinute: 'in a minute',

  // Why there is no card, by the name of the error.
  InvalidCardId:
    'That is not a card id: {reason, select, empty {it is empty} halfCharacter {it holds half a character} tooLong {it is longer than {maxLength, number} characters} controlCharacter {it holds a control character} other {dots alone name no card}}. An id looks like `base1-4`.',
  QuotaSpent: "Today's requests to the card service are used up. They come back {from}.",
  Busy: '{reason, select, pause {The card service asked us to wait} other {Too many questions are waiting for the card service}}. Ask again {from}.',
  KeptInReserve: "The day's last requests are kept for cards that are not known yet; more come {from}.",
  BudgetSpent:
    '{whose, select, member {You have} other {This server has}} used the share of {cap, number} requests a day. It comes back {from}. Cards that are known are still shown.',
  TooManyCommands: 'Slow down: that is more commands than anybody can type. Go on in a moment.',
  RateLimited: 'The card service asked us to wait.',
  KeyRefused:
    "The card service does not accept this bot's API key. Whoever runs the bot has to check CARD_SERVICE_API_KEY.",
  ServiceDown: 'The card service does not answer at the moment. Try again {from}.',
  UnexpectedAnswer:
    'The card service answered with something this bot does not understand. Whoever runs the bot finds more in the log.',
  Stopping: 'The bot is restarting. Ask again in a minute.',

  // Replies of any command.
  unknownCommand: 'This command is unknown or out of date. It will work again once the commands are registered anew.',
  outOfDate: 'This is out of date. Please use the command again.',
  broken: 'Something broke on our side. Whoever runs the bot finds more in the log.',

  // /card
  permitAt: 'Your turn comes at {time}.',
  noSuchCard: 'There is no card **{id}**, as of {since}. An id looks like `base1-4`.',
  invisibleId: '(invisible)',
  renewing: 'This copy is not the newest. A new one is on its way.',
  notRenewed: 'This copy is not the newest. {why}',
  delisted: 'No longer listed by the card service, as of {since}. This is our last copy.',
  noName: '(no name)',
  set: 'Set',
  number: 'Number',
  rarity: 'Rarity',
  market: 'Market',
  low: 'Low',
  high: 'High',
  prices: 'Prices',
  noPrices: 'no prices',
  pricesAsOf: 'Prices as of',
  requestsLeft: '{remaining, number} requests left today',
  requestsLeftOf:
    '{level, select, gone {{remaining, number} of {limit, number} requests left today, known cards only} veryLow {only {remaining, number} of {limit, number} requests left today, the last ones} low {only {remaining, number} of {limit, number} requests left today} other {{remaining, number} of {limit, number} requests left today}}',

  // /usage: whether requests flow, and why not.
  requestsFlow: 'Requests go out as cards are asked for.',
  requestFailed: 'The card service did not answer just now. Requests still go out.',
  learnedWindow:
    'The service lets {requests, plural, one {one request} other {{requests, number} requests}} through in any minute, and this bot keeps to that.',
  learnedBurst:
    'The service lets {requests, plural, one {one request} other {{requests, number} requests}} through at once, and this bot keeps to that.',
  breakerPause: 'The card service asked us to wait.',
  breakerDay: "Today's requests to the card service are used up.",
  breakerOutage: 'The card service does not answer.',
  breakerKey: "The card service does not accept this bot's API key: check CARD_SERVICE_API_KEY.",
  probeUnderWay: 'Last tried {since}; a new try is under way.',
  probeDue: 'Last tried {since}; the next question tries again.',
  probeAt: 'Last tried {since}, next {from}.',

  // /usage: why there is no newer report.
  reportOnItsWay: 'The plan report is on its way; this message will show it.',
  reportNeedsKey: 'The plan report needs an API key (CARD_SERVICE_API_KEY).',
  reportFailed: 'The plan report was asked for {since}, in vain: {why}',
  reportNotAsked: 'The plan report could not be asked for just now.',

  // /usage: figures; a figure that is not known is a question mark.
  usageTitle: 'Requests to the card service',
  today: 'Today',
  todayUnknown: 'not known before the first answer of the day',
  leftOf: '{remaining} of {limit} left',
  allBack: 'all back {from}',
  goneAt: 'at the present rate gone {from}',
  plan: 'Plan',
  unnamedPlan: 'unnamed',
  period: 'Period',
  periodFromTo: '{start} – {end}',
  inThisPeriod: 'In this period',
  usedOf: '{used} of {limit} used, {remaining} left',
  savedToday: 'Saved today',
  saved: '{requests, plural, one {# request} other {# requests}}',
  waitingNow: 'Waiting now',
  reportFrom: 'Report from',
  serverToday: 'This server today',
  serverRequests: '{requests, plural, one {# request} other {# requests}}, {saved, number} answered from the cache',
  serverRequestsOfBudget:
    '{requests, plural, one {# request} other {# requests}} of its share of {cap, number}, {saved, number} answered from the cache',
  memberCap: 'at most {requests, plural, one {# request} other {# requests}} for each member',
  mostRequestsToday: 'Most requests today',
  usageFooter:
    'Saved: answered from the cache instead of a request. Counted since 00:00 UTC, in all servers and in this one',
} as const;
