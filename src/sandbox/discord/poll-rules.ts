import type { APIPoll } from 'discord-api-types/v10';
import * as z from 'zod';

import { emoji } from './component-fields.ts';
import { integer, list, requiredText, withoutAnyNulls } from './field-rules.ts';

const LONGEST_HOURS = 32 * 24;
const DEFAULT_HOURS = 24;
const HOUR_MS = 3_600_000;

function media(longestText: number) {
  return z.object({ text: requiredText(longestText), emoji: emoji.partial().exactOptional() });
}

/** resources/poll, "Poll Create Request Object" */
export const PollForm = z.preprocess(
  withoutAnyNulls,
  z.object({
    question: media(300),
    answers: list(z.object({ poll_media: media(55) }), { min: 1, max: 10 }),
    duration: integer({ min: 1, max: LONGEST_HOURS }).default(DEFAULT_HOURS),
    allow_multiselect: z.boolean().default(false),
    layout_type: z.literal(1).default(1),
  }),
);
export type PollForm = z.infer<typeof PollForm>;

/** A new poll: open and without votes. */
export function openPoll({ question, answers, duration, allow_multiselect, layout_type }: PollForm, nowMs: number) {
  const poll = {
    question,
    answers: answers.map(({ poll_media: { text, emoji } }, index) => ({
      answer_id: index + 1,
      poll_media: { text, ...(emoji && { emoji: { id: null, name: null, ...emoji } }) },
    })),
    expiry: new Date(nowMs + duration * HOUR_MS).toISOString(),
    allow_multiselect,
    layout_type,
    results: { is_finalized: false, answer_counts: [] },
  };
  return poll as APIPoll;
}
