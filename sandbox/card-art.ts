import type { Game } from './sample-sets.ts';

/** The picture's window on the card, in pixels. */
export const ART = { width: 412, height: 318 } as const;

type Random = () => number;

/** A scene of the game with the creature that fits the name, as SVG elements; the same random numbers draw the same picture. */
export function drawArt(game: Game, name: string, random: Random): string {
  const scene = { Lanternfolk: lanternNight, Brinehold: openSea, 'Orrery Duel': orrery }[game];
  return scene(random) + being(random, game, name);
}

const between = (random: Random, low: number, high: number) => low + (high - low) * random();
const round = (value: number) => Math.round(value * 10) / 10;
const hsl = (hue: number, saturation: number, lightness: number) =>
  `hsl(${Math.round(hue)} ${Math.round(saturation)}% ${Math.round(lightness)}%)`;

function many(count: number, draw: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => draw(index)).join('');
}

function sky(top: string, bottom: string): string {
  return `<linearGradient id="sky" x2="0" y2="1"><stop stop-color="${top}"/><stop offset="1" stop-color="${bottom}"/></linearGradient><rect width="${ART.width}" height="${ART.height}" fill="url(#sky)"/>`;
}

function disc(x: number, y: number, radius: number, fill: string, opacity = 1): string {
  return `<circle cx="${round(x)}" cy="${round(y)}" r="${round(radius)}" fill="${fill}" opacity="${round(opacity)}"/>`;
}

function glow(x: number, y: number, radius: number, fill: string): string {
  return disc(x, y, radius * 2.6, fill, 0.1) + disc(x, y, radius * 1.7, fill, 0.2) + disc(x, y, radius, fill);
}

function stars(random: Random, count: number, lowestY: number): string {
  return many(count, () =>
    disc(random() * ART.width, random() * lowestY, between(random, 0.6, 1.8), '#fff', between(random, 0.3, 0.9)),
  );
}

/** Hills or waves: two sines across the window, filled down to its lower edge. */
function ridge(random: Random, y: number, heightPx: number, fill: string): string {
  const [first, second] = [random() * 6, random() * 6];
  const [slow, fast] = [between(random, 0.008, 0.018), between(random, 0.03, 0.05)];
  const points = Array.from({ length: 36 }, (_, index) => {
    const x = index * 12;
    return `${x} ${round(y + heightPx * (Math.sin(x * slow + first) + 0.3 * Math.sin(x * fast + second)))}`;
  });
  return `<path d="M${points.join('L')}L${ART.width + 8} ${ART.height}L0 ${ART.height}Z" fill="${fill}"/>`;
}

function lanternNight(random: Random): string {
  const hue = between(random, 225, 300);
  const moon = glow(between(random, 60, 350), between(random, 45, 85), between(random, 20, 32), '#fff3d0');
  const hills = many(4, (index) =>
    ridge(random, 175 + index * 34, 20 - index * 2, hsl(hue + index * 8, 38, 30 - index * 6)),
  );
  const lanterns = many(11, () => {
    const [x, y, size] = [random() * ART.width, between(random, 50, 285), between(random, 3.5, 8)];
    return glow(x, y, size, hsl(between(random, 26, 48), 96, 66));
  });
  return sky(hsl(hue, 55, 14), hsl(hue + 70, 62, 48)) + stars(random, 46, 170) + moon + hills + lanterns;
}

function openSea(random: Random): string {
  const hue = between(random, 168, 222);
  const [sunX, sunY] = [between(random, 90, 320), between(random, 80, 140)];
  const sun = glow(sunX, sunY, between(random, 34, 52), hsl(between(random, 18, 52), 92, 74));
  const waves = many(6, (index) =>
    ridge(random, 176 + index * 25, 7 + index, hsl(hue, 62 - index * 3, 50 - index * 7)),
  );
  const glitter = many(9, (index) => {
    const width = between(random, 14, 60);
    return `<rect x="${round(sunX - width / 2)}" y="${178 + index * 11}" width="${round(width)}" height="2.4" rx="1.2" fill="#fff" opacity=".35"/>`;
  });
  const foam = many(20, () => {
    return disc(random() * ART.width, between(random, 215, 312), between(random, 1.5, 5), '#e9fffb', 0.3);
  });
  return sky(hsl(hue + 18, 58, 28), hsl(hue - 150, 80, 76)) + sun + waves + glitter + foam;
}

function orrery(random: Random): string {
  const hue = between(random, 205, 268);
  const tilt = between(random, -28, 28);
  const orbits = many(5, (index) => {
    const [wide, high] = [70 + index * 42, 26 + index * 25];
    const angle = random() * Math.PI * 2;
    const planet = glow(
      wide * Math.cos(angle),
      high * Math.sin(angle),
      between(random, 5, 13),
      hsl(random() * 360, 62, 66),
    );
    return `<ellipse rx="${wide}" ry="${high}" fill="none" stroke="#d9b26a" stroke-width="1.4" opacity=".75"/>${planet}`;
  });
  const gears = [150, 105, 52].map((radius) => {
    return `<circle r="${radius}" fill="none" stroke="#d9b26a" stroke-width="9" stroke-dasharray="7 9" opacity=".22"/>`;
  });
  const centre = `<g transform="translate(206 160) rotate(${round(tilt)})">${gears.join('')}${orbits}</g>`;
  return sky(hsl(hue, 60, 9), hsl(hue + 46, 52, 32)) + stars(random, 80, ART.height) + centre;
}

const BEINGS: Record<Game, { body: string; rim: string; eye: string }> = {
  Lanternfolk: { body: '#1a1228', rim: '#ffce73', eye: '#ffe9a8' },
  Brinehold: { body: '#06222e', rim: '#8ff0e0', eye: '#d9fff6' },
  'Orrery Duel': { body: '#1c1608', rim: '#f0c877', eye: '#bfe3ff' },
};

interface Silhouette {
  /** Words of names of such creatures. */
  of: RegExp;
  /** The right half, which is mirrored. */
  half: string;
  eyes: { x: number; y: number };
}

const SILHOUETTES: readonly Silhouette[] = [
  {
    of: /drake|dragon|leviathan|lantern swarm/i,
    half: 'M6-24 22-52 146-104Q116-58 130-34 100-38 88 2 62-10 8 26ZM4-62 30-98 18-54ZM0-68Q20-66 17-46 34-16 22 22 14 62 0 96Z',
    eyes: { x: 9, y: -50 },
  },
  {
    of: /moth|heron|owl|nightingale|petrel|bird|firefly|sprite/i,
    half: 'M5-62 24-96 10-58ZM6-34Q74-112 134-72 148-20 72 4 122 32 86 68 40 70 6 20ZM0-64Q20-60 14-32 18 32 0 76Z',
    eyes: { x: 8, y: -46 },
  },
  {
    of: /fox|hare|cat|mouse|dancer/i,
    half: 'M8-62 34-116 42-44ZM40 40Q104 60 92 4 126 62 62 84L40 84ZM0-74Q48-70 44-34 34-4 0 2ZM0-12Q40-4 54 60 56 86 30 86L0 86Z',
    eyes: { x: 17, y: -36 },
  },
  {
    of: /crab|barnacle|shrimp|fish|kelp|diver|foam|deep|pearl|anchor/i,
    half: 'M78-16Q144-36 130-96 104-84 106-58 92-72 92-98 62-58 70-20ZM66 24 124 78 52 38ZM40 34 78 92 28 42ZM0-44Q76-54 100-8 82 44 0 48Z',
    eyes: { x: 20, y: -16 },
  },
  {
    of: /golem|clock|brass|gear|wind|pendulum|sentinel|astrolabe|lighthouse|lamp|bathysphere|orbit|escapement/i,
    half: 'M0-92 26-78 30-40 66-34 74 14 96 40 66 52 50 22 40 26 46 90 14 90 10 46 0 46Z',
    eyes: { x: 12, y: -60 },
  },
  {
    of: /./,
    half: 'M4-40Q96-50 112 44 66 14 44 34ZM0-92Q40-84 38-40 76 10 62 90L0 90Z',
    eyes: { x: 12, y: -46 },
  },
];

/** The right half of a silhouette and its mirror image: symmetry makes it look like a creature. */
function being(random: Random, game: Game, name: string): string {
  const { body, rim, eye } = BEINGS[game];
  const { half, eyes } = SILHOUETTES.find(({ of }) => of.test(name)) ?? { half: '', eyes: { x: 0, y: 0 } };
  const size = between(random, 3.5, 6.5);
  const face = glow(-eyes.x, eyes.y, size, eye) + glow(eyes.x, eyes.y, size, eye);
  const scale = between(random, 0.9, 1.12).toFixed(2);
  const side = `<path d="${half}"/>`;
  return `<g transform="translate(206 180) scale(${scale})"><g fill="${body}" stroke="${rim}" stroke-width="2.5" stroke-linejoin="round">${side}<g transform="scale(-1 1)">${side}</g></g><path d="M0 ${eyes.y}V44" stroke="${body}" stroke-width="9"/>${face}</g>`;
}
