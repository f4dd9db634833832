import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { replaceSection } from './marked-section.ts';

const MARKED = 'before\n<!-- benchmarks: written by npm run bench -->\nold\n<!-- /benchmarks -->\nafter\n';

it('replaces what is between the markers and nothing else, however often', () => {
  const once = replaceSection(MARKED, 'new');
  expect(once).toBe('before\n<!-- benchmarks: written by npm run bench -->\n\nnew\n\n<!-- /benchmarks -->\nafter\n');
  expect(replaceSection(once, 'new')).toBe(once);
});

it('refuses a text without the markers', () => {
  expect(() => replaceSection('before', 'new')).toThrow('<!-- /benchmarks -->');
});

it('finds its markers in the page that npm run bench writes', () => {
  const page = readFileSync('docs/benchmarks.md', 'utf8');
  expect(replaceSection(page, 'new')).toContain('\n\nnew\n\n');
  expect(replaceSection(page, 'new', 'missed')).toContain('\n\nnew\n\n');
});

it.each(['processes', 'sizing'])('finds those of %s in the page that it writes', (name) => {
  const page = readFileSync('docs/more-processes.md', 'utf8');
  expect(replaceSection(page, 'new', name, `npm run bench ${name}`)).toContain('\n\nnew\n\n');
});
