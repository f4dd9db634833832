import { describe, expect, it } from 'vitest';
import { sampleImage } from '../../sandbox/card-images.ts';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';

it('the sample cards are at least 60, of three games, with unique ids', () => {
  expect(new Set(SAMPLE_CARDS.map((card) => card.id)).size).toBe(SAMPLE_CARDS.length);
  expect(SAMPLE_CARDS.length).toBeGreaterThanOrEqual(60);
  expect(new Set(SAMPLE_CARDS.map((card) => card.tcg)).size).toBe(3);
  expect(SAMPLE_CARDS.find((card) => card.id === 'base1-4')).toMatchObject({ number: '4/102', tcg: 'Lanternfolk' });
});

describe('the sample images', () => {
  it('exist for every address that a card names, and always look the same', () => {
    for (const { imageUrl } of SAMPLE_CARDS) {
      if (imageUrl === undefined) continue;
      expect(imageUrl).toMatch(/^https:\/\/images\.cards\.example\/[\w/]+\.png$/);
      expect(sampleImage(imageUrl)).toEqual(sampleImage(imageUrl));
    }
  });

  it('escape the names that they show', () => {
    const body = sampleImage('https://images.cards.example/tide/3.png')?.body;
    expect(body).toContain('Barnacle &amp; Daughters');
  });

  it('do not exist for other addresses', () => {
    expect(sampleImage('https://images.cards.example/base1/999.png')).toBeUndefined();
    expect(sampleImage('nonsense')).toBeUndefined();
  });
});
