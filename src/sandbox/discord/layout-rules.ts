import { ComponentType } from 'discord-api-types/v10';

import { everyComponent, type PlacedComponent } from './components.ts';
import { mistake } from './form-error.ts';

// components/reference; legacy rows: "Legacy Message Component Behavior"; texts: discord-api-docs#8554
const MOST_ROWS = 5;
const MOST_COMPONENTS = 40;
const LONGEST_TEXT = 4_000;

/** Validates the combination of a message's components. @throws ApiError 50035 */
export function refuseLayout(components: readonly unknown[], isV2: boolean, at: readonly string[]): void {
  refuseRepeated(components, at);
  if (isV2) refuseTooMuch([...everyComponent(components)], at);
  else refuseLegacy(components as { type: ComponentType }[], at);
}

/** The ids of the components of a message or modal must be unique. @throws ApiError 50035 */
export function refuseRepeated(components: readonly unknown[], at: readonly string[]): void {
  const placed = [...everyComponent(components, at)];
  refuse(placed, 'custom_id', 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id was already specified');
  refuse(placed, 'id', 'COMPONENT_ID_DUPLICATED', 'Component id was already specified');
}

function refuse(placed: readonly PlacedComponent[], key: 'id' | 'custom_id', code: string, words: string): void {
  const seen = new Set<unknown>();
  for (const { component, path } of placed) {
    const id = component[key];
    if (!id) continue; // 0 means no id
    if (seen.has(id)) throw mistake([...path, key], code, words);
    seen.add(id);
  }
}

function refuseLegacy(components: readonly { type: ComponentType }[], at: readonly string[]): void {
  const misplaced = components.findIndex(({ type }) => type !== ComponentType.ActionRow);
  if (misplaced !== -1) {
    throw mistake([...at, misplaced], 'UNION_TYPE_CHOICES', 'Value of field "type" must be one of (1,).');
  }
  if (components.length > MOST_ROWS) {
    throw mistake(at, 'BASE_TYPE_BAD_LENGTH', `Must be between 1 and ${MOST_ROWS} in length.`);
  }
}

function refuseTooMuch(placed: readonly PlacedComponent[], at: readonly string[]): void {
  if (placed.length > MOST_COMPONENTS) {
    const words = `The total number of components (${placed.length}) exceeds the maximum limit (${MOST_COMPONENTS})`;
    throw mistake(at, 'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED', words);
  }
  const length = placed.reduce((total, { component }) => total + (component.content?.length ?? 0), 0);
  if (length > LONGEST_TEXT) {
    const words = `The total displayable text size (${length}) exceeds the maximum limit (${LONGEST_TEXT})`;
    throw mistake(at, 'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED', words);
  }
}
