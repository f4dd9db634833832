import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { seededRandom } from '../../sandbox/seeded-random.ts';
import { PICTURES, SCENES } from '../screenshots/scenes.ts';
import { BEGIN_MS, play, type Shot } from '../screenshots/stage.ts';
import { frameDurationsMs } from '../screenshots/webp.ts';
import { readWords } from '../screenshots/words.ts';
import { begin, pause, run } from '../simulate/fake-time.ts';

const NAMES = SCENES.flatMap(({ shots }) => shots.map(({ name }) => name));
const written = await readWords();

it('every reply has its words, and docs/replies.md shows every picture', async () => {
  expect([...written.keys()]).toEqual(NAMES);
  const [page, files] = await Promise.all([readFile('docs/replies.md', 'utf8'), readdir('docs/replies')]);
  expect(files.toSorted()).toEqual([...PICTURES.map((name) => `${name}.jpg`), 'words.txt'].toSorted());
  expect(PICTURES.filter((name) => !page.includes(`/${name}.`))).toEqual([]);
});

it.each(['docs/story.webp', 'docs/story-light.webp'])('%s lasts 10 to 15 s and is below 1.5 MB', async (file) => {
  const picture = await readFile(file);
  const lastsMs = frameDurationsMs(picture).reduce((sum, ms) => sum + ms, 0);
  expect(lastsMs).toBeGreaterThanOrEqual(10_000);
  expect(lastsMs).toBeLessThanOrEqual(15_000);
  expect(picture.length).toBeLessThan(1_500_000);
});

it.each(SCENES)('from $shots.0.name on, the bot still says what docs/replies/words.txt has', async (scene) => {
  begin(seededRandom('words'), BEGIN_MS);
  const clock = { passes: true, setSystemTime: (ms: number) => pause(ms - Date.now()) } as const;
  const taken: string[] = [];
  const take = ({ name }: Shot, words: string) => {
    taken.push(name);
    const message = `the words of "${name}" are out of date: run \`npm run screenshots\` and look at its picture`;
    expect(words, message).toBe(written.get(name));
  };
  await run(play(scene, clock, { take }));
  expect(taken).toEqual(scene.shots.map(({ name }) => name));
});
