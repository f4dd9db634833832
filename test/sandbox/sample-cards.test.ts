import { expect, it } from 'vitest';
import { sampleImage } from '../../sandbox/card-images.ts';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';

it('the sample cards are at least 60, of three games, with unique ids', () => {
  expect(new Set(SAMPLE_CARDS.map(({ id }) => id)).size).toBe(SAMPLE_CARDS.length);
  expect(SAMPLE_CARDS.length).toBeGreaterThanOrEqual(60);
  expect(new Set(SAMPLE_CARDS.map(({ tcg }) => tcg)).size).toBe(3);
  expect(SAMPLE_CARDS.find(({ id }) => id === 'base1-4')).toMatchObject({ number: '4/102', tcg: 'Lanternfolk' });
});

it('a sample image exists for every address that a card names and no other, looks always the same, and escapes names', () => {
  for (const imageUrl of SAMPLE_CARDS.flatMap((card) => [card.imageUrl ?? [], card.backImageUrl ?? []].flat())) {
    expect(imageUrl).toMatch(/^https:\/\/images\.cards\.example\/[\w/]+\.png$/);
    expect(sampleImage(imageUrl)).toEqual(sampleImage(imageUrl) ?? 'an image');
  }
  expect(sampleImage('https://images.cards.example/tide/3.png')?.body).toContain('Barnacle &amp; Daughters');
  for (const other of ['https://images.cards.example/base1/999.png', 'nonsense'])
    expect(sampleImage(other)).toBeUndefined();
});
