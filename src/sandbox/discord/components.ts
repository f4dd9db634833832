import type {
  APIButtonComponent,
  APIComponentInLabel,
  APISelectMenuComponent,
  ComponentType,
} from 'discord-api-types/v10';

/** A component that a member can use: all but links and premium buttons have a `custom_id`. */
export type UsableComponent = APIButtonComponent | APISelectMenuComponent;

/** Every component, however deep, in reading order. */
export function* allComponents(components: readonly unknown[]): Generator<{ type: ComponentType; custom_id?: string }> {
  for (const component of components) {
    if (typeof component !== 'object' || component === null || !('type' in component)) continue;
    yield component as { type: ComponentType };
    const { accessory, component: labelled, components: inner = [] } = component as Record<string, unknown>;
    yield* allComponents([...(inner as unknown[]), labelled, accessory]);
  }
}

export function findComponent(components: readonly unknown[], customId: string): UsableComponent | undefined {
  return allComponents(components).find((each) => each.custom_id === customId) as UsableComponent | undefined;
}

/** The fields of a modal that a member fills in. */
export function fieldsOf(components: readonly unknown[]): APIComponentInLabel[] {
  return [...allComponents(components)].filter((each) => each.custom_id !== undefined) as APIComponentInLabel[];
}
