import type { Lifetimes } from '../../src/sandbox/discord/interaction.ts';

/** Waits longer than 3 s for a first answer, because a busy machine may need it. Tests of the 3 s use Discord's own. */
export const PATIENT: Lifetimes = { ackMs: 60_000, tokenMs: 900_000 };
