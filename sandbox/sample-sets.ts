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
  /** Names by rarity and number. */
  cards: Partial<Record<Rarity, Readonly<Record<number, string>>>>;
}

/** Every game, set and card here is invented. */
export const SAMPLE_SETS: readonly SampleSet[] = [
  {
    id: 'base1',
    name: 'First Light',
    game: 'Lanternfolk',
    size: 102,
    cards: {
      Common: { 9: 'Paper Lantern Swarm', 17: 'Glowcap Peddler', 44: 'Soot Sprite' },
      Uncommon: { 3: 'Candle Hare', 23: 'Night Market Fox', 70: 'Fog Between Birches' },
      Rare: { 2: 'Moth Cartographer', 15: 'Old Mother Tallow', 58: 'Keeper of the Last Match' },
      'Holo Rare': { 1: 'Wick, Who Waits', 4: 'Emberwing Drake' },
      'Secret Rare': { 102: 'The Unlit Lamp' },
    },
  },
  {
    id: 'dusk2',
    name: 'Dusk Procession',
    game: 'Lanternfolk',
    size: 88,
    cards: {
      Common: { 5: 'Stilt Dancer', 20: 'Procession Drummer', 21: 'Firefly Orphan', 77: 'Moonrise Banner' },
      Uncommon: { 1: 'Bellringer Toad', 40: 'Crossroads Ghost', 51: 'Twin Shadow Puppets' },
      Rare: { 8: 'Veiled Candlemaker', 33: 'Wax Golem', 44: 'Emberwing Drake', 66: 'Mayor Quill' },
      'Holo Rare': { 12: 'Owl of Nine Windows' },
      'Secret Rare': { 88: 'She Who Carries Dawn' },
    },
  },
  {
    id: 'tide',
    name: 'Spring Tide',
    game: 'Brinehold',
    size: 120,
    cards: {
      Common: {
        3: 'Barnacle & Daughters',
        18: 'Harbour Cat',
        36: 'Storm Petrel Courier',
        63: 'Message in Green Glass',
      },
      Uncommon: { 11: 'Kelp Strider', 42: 'Reefbreaker Crab', 95: 'Tax Collector of the Shallows' },
      Rare: { 27: 'Saltglass Oracle', 59: 'The Drowned Choir' },
      'Holo Rare': { 7: 'Captain Ysolde Farrow', 81: 'Lighthouse That Walks' },
      'Secret Rare': { 120: 'Queen Under the Foam' },
    },
  },
  {
    id: 'deep',
    name: 'The Deep Below',
    game: 'Brinehold',
    size: 96,
    cards: {
      Common: { 6: 'Pressure Diver', 19: 'Pale Cuttlefish', 47: 'Hagfish Knot', 64: 'Vent Shrimp Chorus' },
      Uncommon: { 2: 'Anglerfish Notary', 29: 'Harbour Cat', 31: 'Trench Gardener' },
      Rare: { 28: 'Rusted Bathysphere', 55: 'Abyssal Librarian', 90: 'Black Pearl Diver' },
      'Holo Rare': { 13: 'Whalefall Cathedral', 72: 'Leviathan, Half Asleep' },
      'Secret Rare': { 96: 'What the Anchor Found' },
    },
  },
  {
    id: 'clock',
    name: 'Clockwork Skies',
    game: 'Orrery Duel',
    size: 110,
    cards: {
      Common: { 4: 'Apprentice Astrolabe', 29: 'Gearwright Monk', 61: 'Leap Second', 74: 'Meridian Surveyor' },
      Uncommon: { 10: 'Brass Heron', 35: 'Sundial Sentinel', 48: 'Windup Nightingale' },
      Rare: { 22: 'Pocket Eclipse', 53: 'Pendulum Knight', 99: 'Orbit of Small Regrets' },
      'Holo Rare': { 16: 'Ada Vesper, Timekeeper' },
      'Secret Rare': { 110: 'The Great Escapement' },
    },
  },
  {
    id: 'comet',
    name: 'Comet Year',
    game: 'Orrery Duel',
    size: 75,
    cards: {
      Common: { 5: 'Dust Tail Dancer', 9: 'Observatory Mouse', 38: 'Ice Mirror Polisher' },
      Uncommon: {
        14: 'Iridium Smith',
        25: 'Night of Falling Brass',
        46: 'Parallax Twins',
        60: 'Pocket Eclipse',
        68: 'Gravity_Well_Keeper',
      },
      Rare: { 1: 'Comet Herald', 30: 'Żaneta of the Far Ring', 52: '*Almost* a Planet' },
      'Holo Rare': { 21: 'Perihelion Witch' },
      'Secret Rare': { 75: 'Halo, Returned After Ninety Years' },
    },
  },
];
