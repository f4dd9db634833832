import { describe, expect, it } from 'vitest';
import { sampleImage } from '../../src/sandbox/card-images.ts';
import { SAMPLE_CARDS } from '../../src/sandbox/sample-cards.ts';

describe('the sample cards', () => {
  it('are at least 60, of three games, with unique ids', () => {
    expect(new Set(SAMPLE_CARDS.map((card) => card.id)).size).toBe(SAMPLE_CARDS.length);
    expect(SAMPLE_CARDS.length).toBeGreaterThanOrEqual(60);
    expect(new Set(SAMPLE_CARDS.map((card) => card.tcg)).size).toBe(3);
    expect(SAMPLE_CARDS.find((card) => card.id === 'base1-4')).toMatchObject({ number: '4/102', tcg: 'Lanternfolk' });
  });

  it('have prices in order, in whole cents', () => {
    for (const { prices } of SAMPLE_CARDS) {
      if (prices?.low === undefined || prices.market === undefined || prices.high === undefined) continue;
      expect(prices.low).toBeLessThanOrEqual(prices.market);
      expect(prices.market).toBeLessThanOrEqual(prices.high);
      expect(prices.market).toBe(Math.round(prices.market * 100) / 100);
    }
  });

  it.each(['number', 'rarity', 'imageUrl', 'prices'] as const)('lack %s in some cases', (field) => {
    const lacking = SAMPLE_CARDS.filter((card) => !(field in card));
    expect(lacking.length).toBeGreaterThan(0);
    expect(lacking.length).toBeLessThan(10);
  });
});

describe('the sample images', () => {
  it('exist for every address that a card names, and always look the same', () => {
    for (const { imageUrl } of SAMPLE_CARDS) {
      if (imageUrl === undefined) continue;
      expect(imageUrl).toMatch(/^https:\/\/images\.cards\.example\/[\w/]+\.png$/);
      expect(sampleImage(imageUrl)).toEqual(sampleImage(imageUrl));
    }
  });

  it('refer to nothing external, and contain no invalid numbers', () => {
    for (const { imageUrl = '' } of SAMPLE_CARDS) {
      const body = sampleImage(imageUrl)?.body ?? '';
      expect(body.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(/https?:|href|NaN|undefined|Infinity/);
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
