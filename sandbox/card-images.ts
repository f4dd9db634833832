import { ART, drawArt } from './card-art.ts';
import { SAMPLE_CARDS, type ServiceCard } from './sample-cards.ts';
import { GAMES, type Game, RARITIES, type Rarity } from './sample-sets.ts';
import { seededRandom } from './seeded-random.ts';

const FRAMES: Record<Game, { light: string; dark: string; ink: string }> = {
  Lanternfolk: { light: '#f7e3b4', dark: '#b4622d', ink: '#3a1d10' },
  Brinehold: { light: '#d6f1ea', dark: '#1f6f7d', ink: '#08303a' },
  'Orrery Duel': { light: '#e4dcf3', dark: '#4b3f86', ink: '#1d1740' },
};

const STAR = '<path d="M0-10 2.6-3.3 9.8-3.1 4.2 1.4 6.1 8.3 0 4.3-6.1 8.3-4.2 1.4-9.8-3.1-2.6-3.3Z"/>';
const CROWN = '<circle r="13" fill="none" stroke="currentColor" stroke-width="1.5"/>';
/** Colours of the outer edge, and the mark beside the rarity's name. */
const MARKS: Record<Rarity, { edge: readonly string[]; mark: string }> = {
  Common: { edge: ['#3b4048', '#565d68', '#3b4048'], mark: '<circle r="7"/>' },
  Uncommon: { edge: ['#8a97a5', '#e8eef4', '#8a97a5'], mark: '<path d="M0-9 9 0 0 9-9 0Z"/>' },
  Rare: { edge: ['#a8781c', '#fbe59a', '#a8781c'], mark: STAR },
  'Holo Rare': { edge: ['#7de0ff', '#ffe27d', '#ff9ad5', '#9dffb0'], mark: STAR },
  'Secret Rare': { edge: ['#2a0f4f', '#ff6ec4', '#7873f5', '#42e8e0', '#2a0f4f'], mark: STAR + CROWN },
};

const WORDS: Record<Game, readonly string[]> = {
  Lanternfolk: [
    'Every flame was lent by somebody. Some of them come back for it.',
    'The last light in the village is never the brightest one.',
    'Ask it the way and it will show you the long one.',
    'It burns without smoke, and remembers whose wood it was.',
  ],
  Brinehold: [
    'The tide keeps its own ledger, and it is never wrong.',
    'What the sea gives back, it has read first.',
    'Nobody owns the harbour at low water.',
    'Salt keeps everything, debts most of all.',
  ],
  'Orrery Duel': [
    'It was on time once. It has not forgiven the clocks.',
    'Turn the smallest wheel and a moon changes its mind.',
    'All orbits are promises. Some are kept.',
    'Wound once, on a Tuesday, for ever.',
  ],
};

/** Draws the sample card with this `imageUrl`, 480 by 672; `undefined` for any other address. */
export function sampleImage(url: string): { contentType: 'image/svg+xml'; body: string } | undefined {
  const card = SAMPLE_CARDS.findLast(({ imageUrl }) => imageUrl === url);
  return card && { contentType: 'image/svg+xml', body: drawCard(card) };
}

function drawCard(card: ServiceCard): string {
  const game = GAMES.find((known) => known === card.tcg) ?? GAMES[0];
  const rarity = RARITIES.find((known) => known === card.rarity) ?? RARITIES[0];
  const random = seededRandom(card.id);
  const { light, dark, ink } = FRAMES[game];
  const shiny = RARITIES.indexOf(rarity) >= RARITIES.indexOf('Holo Rare');
  const line = WORDS[game][Math.floor(random() * WORDS[game].length)] ?? '';
  const nameSize = Math.min(29, 660 / card.name.length);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="480" height="672" viewBox="0 0 480 672" font-family="Georgia, 'Times New Roman', serif">
<defs>${gradient('edge', MARKS[rarity].edge)}${gradient('frame', [light, dark])}${gradient('sheen', ['#7de0ff', '#ffe27d', '#ff9ad5', '#9dffb0', '#7de0ff'])}
<clipPath id="window"><rect width="${ART.width}" height="${ART.height}" rx="10"/></clipPath></defs>
<rect width="480" height="672" rx="26" fill="url(#edge)"/><rect x="13" y="13" width="454" height="646" rx="17" fill="url(#frame)"/>
${panel(28, 28, 424, 50, light)}<text x="44" y="62" font-size="${nameSize.toFixed(1)}" font-weight="bold" fill="${ink}">${escapeXml(card.name)}</text>
<g transform="translate(34 90)" clip-path="url(#window)">${drawArt(game, card.name, random)}${shiny ? `<rect width="${ART.width}" height="${ART.height}" fill="url(#sheen)" opacity=".13"/>` : ''}</g>
<rect x="34" y="90" width="${ART.width}" height="${ART.height}" rx="10" fill="none" stroke="${ink}" stroke-width="3"/>
${panel(28, 420, 424, 38, light)}<text x="44" y="446" font-size="19" fill="${ink}">${escapeXml(`${card.tcg} · ${card.set.name}`)}</text>
${panel(34, 470, 412, 128, '#fffaf0')}<text font-size="20" font-style="italic" text-anchor="middle" fill="${ink}">${wrapped(line, 527)}</text>
${panel(28, 610, 424, 34, light)}<g fill="${ink}" transform="translate(52 627)">${MARKS[rarity].mark}</g>
<text x="70" y="633" font-size="17" fill="${ink}">${escapeXml(card.rarity ?? '')}</text><text x="436" y="633" font-size="17" text-anchor="end" fill="${ink}">${escapeXml(card.number ?? '')}</text>
</svg>`;
}

function panel(x: number, y: number, width: number, height: number, fill: string): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="9" fill="${fill}" stroke="#0004" stroke-width="1.5"/>`;
}

function gradient(id: string, colours: readonly string[]): string {
  const stops = colours.map((colour, index) => {
    return `<stop offset="${(index / (colours.length - 1)).toFixed(2)}" stop-color="${colour}"/>`;
  });
  return `<linearGradient id="${id}" x2="1" y2="1">${stops.join('')}</linearGradient>`;
}

/** Two or three lines around the middle of the text box. */
function wrapped(text: string, middleY: number): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    if (`${lines.at(-1)} ${word}`.length > 36) lines.push(word);
    else lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trim();
  }
  const firstY = middleY - (lines.length - 1) * 14 + 14;
  return lines.map((line, index) => `<tspan x="240" y="${firstY + index * 28}">${escapeXml(line)}</tspan>`).join('');
}

function escapeXml(text: string): string {
  const entities: Record<string, string> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;', "'": '&apos;' };
  return text.replace(/[<>&"']/g, (character) => entities[character] ?? '');
}
