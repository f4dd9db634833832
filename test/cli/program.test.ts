import { expect, it } from 'vitest';
import { run } from './run.ts';

it('the program names its subcommands, and writes usage as npm wants it typed', async () => {
  const { code, out } = await run(['--help']);
  expect(code).toBe(0);
  for (const name of ['catalog', 'commands', 'data', 'doctor']) expect(out).toContain(`\n  ${name} `);
  expect((await run(['data', 'forget', '--help'])).out).toMatch(/^Usage: npm run data -- forget \[options\] <id>\n/);
  expect(await run(['catalogue'])).toMatchObject({ code: 1, out: '', err: expect.stringContaining('catalog') });
});
