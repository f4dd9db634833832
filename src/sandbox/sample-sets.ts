/** Lowest to highest; determines the mark, the frame and the price. */
export const RARITIES = ['Common', 'Uncommon', 'Rare', 'Holo Rare', 'Secret Rare'] as const;
export type Rarity = (typeof RARITIES)[number];

export const GAMES = ['Lanternfolk', 'Brinehold', 'Orrery Duel'] as const;
export type Game = (typeof GAMES)[number];

export interface SampleSet {
  id: string;
  name: string;
  game: Game;
  /** The stated size of the set; the samples are some of its cards. */
  size: number;
  /** Number, name, rarity as an index into RARITIES. */
  cards: readonly (readonly [number: number, name: string, rarity: number])[];
}

/** Every game, set and card here is invented. */
export const SAMPLE_SETS: readonly SampleSet[] = [
  {
    id: 'base1',
    name: 'First Light',
    game: 'Lanternfolk',
    size: 102,
    cards: [
      [1, 'Wick, Who Waits', 3],
      [2, 'Moth Cartographer', 2],
      [3, 'Candle Hare', 1],
      [4, 'Emberwing Drake', 3],
      [9, 'Paper Lantern Swarm', 0],
      [15, 'Old Mother Tallow', 2],
      [17, 'Glowcap Peddler', 0],
      [23, 'Night Market Fox', 1],
      [44, 'Soot Sprite', 0],
      [58, 'Keeper of the Last Match', 2],
      [70, 'Fog Between Birches', 1],
      [102, 'The Unlit Lamp', 4],
    ],
  },
  {
    id: 'dusk2',
    name: 'Dusk Procession',
    game: 'Lanternfolk',
    size: 88,
    cards: [
      [1, 'Bellringer Toad', 1],
      [5, 'Stilt Dancer', 0],
      [8, 'Veiled Candlemaker', 2],
      [12, 'Owl of Nine Windows', 3],
      [20, 'Procession Drummer', 0],
      [21, 'Firefly Orphan', 0],
      [33, 'Wax Golem', 2],
      [40, 'Crossroads Ghost', 1],
      [44, 'Emberwing Drake', 2],
      [51, 'Twin Shadow Puppets', 1],
      [66, 'Mayor Quill', 2],
      [77, 'Moonrise Banner', 0],
      [88, 'She Who Carries Dawn', 4],
    ],
  },
  {
    id: 'tide',
    name: 'Spring Tide',
    game: 'Brinehold',
    size: 120,
    cards: [
      [3, 'Barnacle & Daughters', 0],
      [7, 'Captain Ysolde Farrow', 3],
      [11, 'Kelp Strider', 1],
      [18, 'Harbour Cat', 0],
      [27, 'Saltglass Oracle', 2],
      [36, 'Storm Petrel Courier', 0],
      [42, 'Reefbreaker Crab', 1],
      [59, 'The Drowned Choir', 2],
      [63, 'Message in Green Glass', 0],
      [81, 'Lighthouse That Walks', 3],
      [95, 'Tax Collector of the Shallows', 1],
      [120, 'Queen Under the Foam', 4],
    ],
  },
  {
    id: 'deep',
    name: 'The Deep Below',
    game: 'Brinehold',
    size: 96,
    cards: [
      [2, 'Anglerfish Notary', 1],
      [6, 'Pressure Diver', 0],
      [13, 'Whalefall Cathedral', 3],
      [19, 'Pale Cuttlefish', 0],
      [28, 'Rusted Bathysphere', 2],
      [29, 'Harbour Cat', 1],
      [31, 'Trench Gardener', 1],
      [47, 'Hagfish Knot', 0],
      [55, 'Abyssal Librarian', 2],
      [64, 'Vent Shrimp Chorus', 0],
      [72, 'Leviathan, Half Asleep', 3],
      [90, 'Black Pearl Diver', 2],
      [96, 'What the Anchor Found', 4],
    ],
  },
  {
    id: 'clock',
    name: 'Clockwork Skies',
    game: 'Orrery Duel',
    size: 110,
    cards: [
      [4, 'Apprentice Astrolabe', 0],
      [10, 'Brass Heron', 1],
      [16, 'Ada Vesper, Timekeeper', 3],
      [22, 'Pocket Eclipse', 2],
      [29, 'Gearwright Monk', 0],
      [35, 'Sundial Sentinel', 1],
      [48, 'Windup Nightingale', 1],
      [53, 'Pendulum Knight', 2],
      [61, 'Leap Second', 0],
      [74, 'Meridian Surveyor', 0],
      [99, 'Orbit of Small Regrets', 2],
      [110, 'The Great Escapement', 4],
    ],
  },
  {
    id: 'comet',
    name: 'Comet Year',
    game: 'Orrery Duel',
    size: 75,
    cards: [
      [1, 'Comet Herald', 2],
      [5, 'Dust Tail Dancer', 0],
      [9, 'Observatory Mouse', 0],
      [14, 'Iridium Smith', 1],
      [21, 'Perihelion Witch', 3],
      [25, 'Night of Falling Brass', 1],
      [30, 'Żaneta of the Far Ring', 2],
      [38, 'Ice Mirror Polisher', 0],
      [46, 'Parallax Twins', 1],
      [52, '*Almost* a Planet', 2],
      [60, 'Pocket Eclipse', 1],
      [68, 'Gravity_Well_Keeper', 1],
      [75, 'Halo, Returned After Ninety Years', 4],
    ],
  },
];
