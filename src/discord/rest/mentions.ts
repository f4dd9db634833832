import type { AllowedMentionsTypes } from 'discord.js';

/** Nothing that we show may ping anyone. */
export const NO_MENTIONS: { parse: AllowedMentionsTypes[] } = { parse: [] };
