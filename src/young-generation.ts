import { setFlagsFromString } from 'node:v8';

/**
 * Most of what a start allocates stays, so that V8 would double the room for short-lived objects again and again, and not
 * give it back: 20 MB that a bot at rest does not need. `grows` once members may come, whose commands do.
 */
export function setYoungGeneration(how: 'stays small' | 'grows'): void {
  setFlagsFromString(`--semi-space-growth-factor=${how === 'grows' ? 2 : 1}`);
}
