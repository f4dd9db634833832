import type {
  APIActionRowComponent,
  APIButtonComponent,
  APILabelComponent,
  APIModalInteractionResponseCallbackData,
  APIStringSelectComponent,
  APITextInputComponent,
  ComponentType,
} from 'discord-api-types/v10';

/** A component that a member can use: all except links have a `custom_id`. */
export type UsableComponent = APIButtonComponent | APIStringSelectComponent;

/** What a message has of them. */
export type Row = APIActionRowComponent<UsableComponent>;

/** What a form has of them. */
export type Field = APILabelComponent & { component: APITextInputComponent };

/** A form with which a bot answers. */
export type Modal = Omit<APIModalInteractionResponseCallbackData, 'components'> & { components: Field[] };

export interface PlacedComponent {
  component: { type: ComponentType; id?: number; custom_id?: string };
  /** Its path in the form. */
  path: readonly string[];
}

/** Every component at any depth, in reading order. */
export function* everyComponent(
  components: readonly unknown[],
  at: readonly string[] = [],
): Generator<PlacedComponent> {
  for (const [index, component] of components.entries()) yield* within(component, [...at, String(index)]);
}

function* within(component: unknown, path: readonly string[]): Generator<PlacedComponent> {
  if (typeof component !== 'object' || component === null || !('type' in component)) return;
  yield { component: component as PlacedComponent['component'], path };
  const { component: labelled, components = [] } = component as Record<string, unknown>;
  yield* everyComponent(components as unknown[], [...path, 'components']);
  yield* within(labelled, [...path, 'component']);
}

export function findComponent(components: readonly unknown[], customId: string): UsableComponent | undefined {
  const found = everyComponent(components).find(({ component }) => component.custom_id === customId);
  return found?.component as UsableComponent | undefined;
}

/** The components, each with an id; given ids are kept. components/reference, "Anatomy of a Component". */
export function withIds<T>(components: readonly T[]): T[] {
  const numbered = structuredClone(components) as T[];
  const placed = [...everyComponent(numbered)].map(({ component }) => component);
  const taken = new Set(placed.map(({ id }) => id));
  let next = 1;
  for (const component of placed.filter(({ id }) => !id)) {
    while (taken.has(next)) next++;
    component.id = next++;
  }
  return numbered;
}
