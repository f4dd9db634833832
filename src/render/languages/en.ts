/**
 * Every text that members read, in English: ICU messages (https://unicode-org.github.io/icu/userguide/format_parse/messages).
 * At most 2,000 characters where a message is a whole reply, 256 in a field's name, 1,024 in its value. `{time}` and
 * `{since}` are Discord's time stamps; `{when}` is a `When` of messages.ts, so that each sentence is whole in every language.
 */
export const en = {
  // Why there is no card, by the name of the error.
  InvalidCardId:
    "{reason, select, empty {Please type a card id, such as `base1-4`.} tooLong {That's too long for a card id. An id looks like `base1-4` and has at most {maxLength, number} characters.} other {That isn't a card id. An id looks like `base1-4`.}}",
  QuotaSpent:
    "Today's new lookups are used up. Cards I already know still work. {when, select, now {New ones work again now.} other {New ones work again after {time}.}}",
  Busy: "{reason, select, pause {The card service asked for a short break.} longPause {The card service asked me to wait.} other {It's busy right now.}} {when, select, now {Please try again.} other {Try again after {time}.}}",
  KeptInReserve:
    '{when, select, now {Prices can be refreshed again now.} date {Prices can be refreshed again on {time}.} other {Prices can be refreshed again at {time}.}}',
  BudgetSpent:
    "{whose, select, member {You've used your {cap, plural, one {one new lookup} other {# new lookups}} for today.} other {This server has used its {cap, plural, one {one new lookup} other {# new lookups}} for today.}} Cards I already know still work. {when, select, now {New ones work again now.} other {New ones work again after {time}.}}",
  TooManyCommands: 'Slow down a little. {when, select, now {Please try again.} other {Try again after {time}.}}',
  RateLimited: 'The card service asked me to wait. Try again in a minute.',
  KeyRefused: "I can't reach the card service right now. Please tell whoever runs me.",
  ServiceDown:
    "The card service isn't answering right now. {when, select, now {Please try again.} soon {Try again in a minute.} other {Try again after {time}.}}",
  UnexpectedAnswer: 'The card service sent something unexpected. Please try again later.',
  Stopping: "I'm restarting. Try again in a minute.",

  // Replies of any command.
  unknownCommand: 'This command has changed. Reload Discord and try again.',
  outOfDate: 'This message is too old. Please run the command again.',
  broken: 'Something went wrong. Please try again.',

  // /card
  permitAt: "You're in line. Your card should be here around {time}.",
  stillAsking: 'Still asking the card service…',
  noSuchCard: 'No card has the id **{id}**.',
  noSuchCardBefore:
    '{known, select, yes {No card had the id **{id}** when I last checked, {since}.} other {No card had the id **{id}** when I last checked.}}',
  invisibleId: '(invisible)',
  severalCards: '{cards, plural, one {Is this the card you mean?} other {Which of these cards do you mean?}}',
  manyCards:
    '{named, select, yes {{total, number} cards are called {name}.} other {{total, number} cards fit.}} Add a set or a number, or choose:',
  chooseCard: 'Choose a card',
  chooseOnPage: 'Choose a card ({from, number}–{to, number} of {total, number})',
  previousCards: 'Previous 25',
  nextCards: 'Next 25',
  showCard: 'Show {name}',
  unknownCard: "I don't know a card called **{text}**.",
  namesUnsearched: "I can't search card names right now. Please try again in a minute.",
  similarNames: 'Did you mean {names}?',
  askAnyway: 'Ask the card service anyway',
  askAnywayCost: "Asking anyway uses one of today's lookups.",
  showPrintings: 'Other printings',
  showToEveryone: 'Show to everyone',
  deleteReply: 'Delete',
  otherPrintings:
    '{cards, plural, one {I know one other card with that name.} other {I know # other cards with that name.}}',
  noOtherPrintings: "I don't know any other printings of this card.",
  notYoursToDelete: 'Only whoever asked for this can delete it, or someone who can manage messages here.',
  noName: '(no name)',
  prices:
    '{given, select, marketLowHigh {**{market}** market · {low} low – {high} high} marketLow {**{market}** market · {low} low} marketHigh {**{market}** market · {high} high} lowHigh {{low} low – {high} high} market {**{market}** market} low {{low} low} high {{high} high} other {No prices for this card.}}',
  priceChange:
    '{direction, select, up {▲ {percent} % in {days, number} days} down {▼ {percent} % in {days, number} days} other {unchanged in {days, number} days}}',
  priceCurve:
    '{shape, select, flat {{curve} steady at {lowest} since {since}} other {{curve} between {lowest} and {highest} since {since}}}',
  pricesFrom: 'prices from {since}',
  pictureOf: 'Picture of {name}',
  leftToday: '{remaining, number} left today',
  leftOfToday: '{remaining, number} of {limit, number} left today',

  // /cards
  noCardsMentioned: "I don't see any cards I know in this message.",
  noCardsNamed: 'Please type card ids or names, such as `base1-4, base1-5`.',
  tooManyCards: "That's too many at once. I can look up ten cards at a time.",
  cardsOnTheirWay:
    '{when, select, soon {{cards, plural, one {One more card is on its way.} other {# more cards are on their way.}}} other {{cards, plural, one {One more card should be here around {time}.} other {# more cards should be here around {time}.}}}}',
  cardsNotFound: 'Not found: {names}',
  /** It begins with the text in bold and a colon, where the button under it reads what may be meant. */
  cardUnclear:
    "**{text}**: {how, select, several {which of {total, number} cards do you mean?} many {which of {total, number} cards do you mean? Add a set or a number.} similar {did you mean {names}?} other {I don't know a card with that name.}}",
  cardsUnsearched:
    "I can't search card names right now, so I left these out: {names}. Asking the card service anyway uses one of today's lookups.",
  cardsFailed: 'Not shown: {names}. {reason}',
  cardsCost: '{requests, plural, =0 {from memory} one {# request} other {# requests}}',

  // /card: why a copy is not the newest, by the name of the error; one short line each.
  renewing: 'Showing a saved copy while I fetch the latest.',
  notRenewed:
    "{why, select, Busy {Showing a saved copy: it's busy right now.} BudgetSpent {Showing a saved copy: the new lookups for today are used up.} ServiceDown {Showing a saved copy: the card service isn't answering.} KeyRefused {Showing a saved copy: I can't reach the card service.} UnexpectedAnswer {Showing a saved copy: the card service sent something unexpected.} Stopping {Showing a saved copy: I'm restarting.} other {Showing a saved copy for now.}}",
  delisted: 'No longer listed. This is the last copy I saved.',

  // /usage: the state at this second.
  working: 'Working normally.',
  isolated: "I'm cut off from Redis. Until it's back, I keep to my own share of the requests.",
  oneFailure: "Working, but the card service didn't answer just now.",
  pausing:
    '{when, select, now {The card service asked me to wait. The next lookup tries again.} trying {The card service asked me to wait. Trying again right now.} other {Waiting until {time}, as the card service asked.}}',
  daySpent:
    "{when, select, now {Today's requests were used up. The next lookup checks for new ones.} trying {Today's requests were used up. Checking for new ones right now.} soon {Today's requests are used up.} other {Today's requests are used up until {time}.}}",
  periodSpent: "This period's requests are used up.",
  down: '{when, select, now {The card service has been down since {since}. The next lookup tries again.} trying {The card service has been down since {since}. Trying again right now.} date {The card service has been down since {since}. Next try on {time}.} other {The card service has been down since {since}. Next try at {time}.}}',
  keyRefused:
    '{when, select, now {The card service refuses my key. The next lookup tries again.} trying {The card service refuses my key. Trying again right now.} date {The card service refuses my key. Next try on {time}.} other {The card service refuses my key. Next try at {time}.}}',
  learnedWindow:
    'The card service takes {requests, plural, one {one request} other {# requests}} a minute, so I keep to that.',
  learnedBurst:
    'The card service takes {requests, plural, one {one request} other {# requests}} at a time, so I keep to that.',

  // /usage: why there is no newer report.
  reportOnItsWay: 'The latest plan report is on its way.',
  reportNeedsKey: 'The plan report needs an API key.',
  reportFailed:
    "{why, select, KeyRefused {My key can't see the plan report.} ServiceDown {The card service didn't answer when I asked for the plan report {since}.} other {I asked for the plan report {since}, but couldn't get it.}}",
  reportNotAsked: "I couldn't ask for the latest plan report just now.",

  // /usage: figures; a figure that is not known is a question mark.
  usageTitle: 'Requests to the card service',
  today: 'Today',
  todayUnknown: 'Known after the first lookup today.',
  usedOf: '{used} of {limit} used, {remaining} left',
  leftOnly: '{remaining} left',
  usedOnly: '{used} used',
  limitOnly: '{limit} a day',
  resets: '{when, select, now {Resets now} date {Resets on {time}} other {Resets at {time}}}',
  runsOut: 'At this rate, runs out around {time}',
  usedByReset: 'At this rate, about {used} used by the end of the day',
  asOf: 'As of {since}',
  plan: 'Plan',
  unnamedPlan: 'unnamed',
  periodFromTo: '{start} – {end}',
  inThisPeriod: 'This period',
  fromMemory: 'Answered from memory',
  savedOf: '{percent, number} % of lookups · {saved, plural, one {# request} other {# requests}} saved',
  nothingAsked: 'No lookups yet today',
  waiting: 'In line right now',
  waitingCards: '{cards, plural, one {# card} other {# cards}}',
  serverToday: 'This server today',
  serverRequests: '{requests, plural, one {# request} other {# requests}} · {saved, number} answered from memory',
  serverRequestsOfBudget:
    '{requests, number} of {cap, plural, one {# request} other {# requests}} · {saved, number} answered from memory',
  memberCap: 'Each member gets {requests, plural, one {# request} other {# requests}} a day.',
  topMembers: 'Most requests today',
  byHour: 'By hour, in UTC',
  dayLegend: 'Blue: requests · green: answered from memory · red: the limit · dots: where this is heading',
  busiestHour:
    'Busiest hour: {hour}:00, with {requests, plural, one {# request} other {# requests}} and {saved, number} answered from memory',
  dayPicture:
    'Chart of today by hour, in UTC. {known, select, yes {{used} of {limit} requests are used.} other {{sent, plural, one {# request was sent.} other {# requests were sent.}}}} {saved, plural, one {# lookup was} other {# lookups were}} answered from memory. The busiest hour began at {hour}:00, with {requests, plural, one {# request} other {# requests}} and {fromMemory, number} answered from memory. {forecast, select, runsOut {At this rate, requests run out around {time} UTC.} steady {At this rate, about {later} are used by the end of the day.} other {There is no forecast yet.}}',
  usageFooter: 'Counts start at 00:00 UTC',

  // /privacy
  privacyIntro: '**What I keep about you**',
  privacyCounts:
    "- How many cards you look up each day and in which server, for 35 days, so one person can't use up everyone's lookups. {days, plural, =0 {Nothing so far.} one {So far: {lookups, plural, one {# lookup} other {# lookups}} on one day.} other {So far: {lookups, plural, one {# lookup} other {# lookups}} on # days.}}",
  privacyCards: '- The last ten cards you looked up, for 30 days, to suggest them when you type. These are: {cards}.',
  privacyNoCards: '- The last ten cards you looked up, for 30 days, to suggest them when you type. None at the moment.',
  privacyPending: "- A command that's still waiting for its card, for up to 15 minutes.",
  privacyLog:
    '- A line in my log for each command, with your user ID and the card. Whoever runs me decides how long the log is kept.',
  privacyNothingElse:
    "That's all. I only read a message when someone uses Look up cards on it. Server admins can see who used the most lookups today; I share nothing else. Backups are deleted after 35 days at most.",
  forgetMe: 'Delete my data',
  reallyForget: "This deletes your counts and the last cards you looked up. It can't be undone.",
  forgotten:
    "Done, that's deleted. Today's count stays until the UTC day ends at {time}, because today's limits need it, and is deleted after that.",
  notForgotten:
    "I couldn't delete everything just now. Please press the button again in a few minutes. Today's count would stay until {time} anyway.",
} as const;
