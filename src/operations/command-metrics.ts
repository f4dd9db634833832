import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import type { Events } from '../model/events.ts';

/** An answer from the cache takes milliseconds; one that waited for a permit, minutes. */
const ANSWER_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 30, 60, 300, 900];
/** They exist from the start: Prometheus sees no increase in a counter that begins at 1. */
const USUAL_OUTCOMES = ['answered', 'not answered', 'too late', 'broken'];
/** For names that are no command of this version: no label takes a value that a member can choose. */
const OTHER = 'other';

/** Commands, how long their answers took, and the replies that are still owed. @returns what ends the subscriptions */
export function commandMetrics(registry: Registry, events: Events, commandNames: readonly string[]): (() => void)[] {
  const registers = [registry];
  const commands = new Counter({
    name: 'cardbot_commands_total',
    help: 'Commands by how they ended.',
    labelNames: ['command', 'outcome'],
    registers,
  });
  const answerSeconds = new Histogram({
    name: 'cardbot_command_seconds',
    help: 'From the receipt of a command to its final answer, by where the answer came from.',
    labelNames: ['source'],
    buckets: ANSWER_SECONDS,
    registers,
  });
  const waitSeconds = new Histogram({
    name: 'cardbot_permit_wait_seconds',
    help: 'How long commands that caused a request waited for its permit.',
    buckets: ANSWER_SECONDS,
    registers,
  });
  const deferred = new Counter({
    name: 'cardbot_deferred_replies_total',
    help: 'Deferred replies by what became of them here.',
    labelNames: ['step'],
    registers,
  });
  const owed = new Set<string>();
  new Gauge({
    name: 'cardbot_deferred_replies_owed',
    help: 'Replies that show "thinking…" and that this process will complete.',
    registers,
    collect() {
      this.set(owed.size);
    },
  });
  for (const command of commandNames) for (const outcome of USUAL_OUTCOMES) commands.inc({ command, outcome }, 0);
  for (const step of ['deferred', 'taken over', 'completed', 'dropped']) deferred.inc({ step }, 0);
  for (const source of ['cache', 'stale', 'service', 'bot']) answerSeconds.zero({ source });

  return [
    events.subscribe('command', ({ command, outcome, source, tookMs, waitMs }) => {
      commands.inc({ command: commandNames.includes(command) ? command : OTHER, outcome });
      answerSeconds.observe({ source }, tookMs / 1000);
      if (source === 'service') waitSeconds.observe(waitMs / 1000);
    }),
    events.subscribe('reply', ({ step, interactionId }) => {
      deferred.inc({ step });
      if (step === 'deferred' || step === 'taken over') owed.add(interactionId);
      else owed.delete(interactionId);
    }),
  ];
}
