import type { ChatMessage } from '../discord/chat.ts';
import type { ShownGuide } from '../guide.ts';
import { avatarOf } from './avatars.ts';

const BEGIN = 'One minute: a button says what to watch, acts two seconds later, and then says below what happened.';

type ShownStep = ShownGuide['steps'][number];

/** The guided minute: a button for each step, who asks in it, what to watch, and below it what happened. */
export function Guide({
  guide,
  messages,
  onPress,
}: {
  guide: ShownGuide;
  messages: readonly ChatMessage[];
  onPress(step: ShownStep): void;
}) {
  const { steps, current, beganAtMs = Number.POSITIVE_INFINITY, happened, isResetting } = guide;
  const asked = messages.filter(({ trigger, typedAtMs }) => trigger === 'command' && typedAtMs >= beganAtMs);
  const watch = steps.find(({ id }) => id === current)?.watch;
  return (
    <section class="guide" aria-label="A guided minute">
      <ol>
        {steps.map((step) => (
          <li key={step.id}>
            <button
              type="button"
              aria-label={step.title}
              title={step.watch}
              aria-current={step.id === current ? 'step' : undefined}
              onClick={() => onPress(step)}
            >
              {step.button}
            </button>
          </li>
        ))}
      </ol>
      <div class="askers" aria-hidden="true">
        {asked.map(({ interactionId, member: { name }, state, embeds }) => (
          <span key={interactionId}>
            <img src={avatarOf(name)} alt="" class={embeds.length > 0 ? 'card' : state} />
          </span>
        ))}
      </div>
      {/* Can be scrolled by keyboard */}
      <div role="status" tabIndex={0}>
        <p>{isResetting ? 'Resetting the sandbox…' : (watch ?? BEGIN)}</p>
        <p class="good">{happened}</p>
      </div>
    </section>
  );
}
