import type { Member } from './discord/chat.ts';
import { DEFAULT_WORLD } from './discord/emulated-discord.ts';

const NAMES =
  'Amara Bruno Carmen Dmitri Esther Farid Greta Hugo Ines Jonas Kaya Liam Mira Nils Olga Pavel Quinn Rosa Sven Tara Umut Vera Wim Xenia Yara Zoe Aldo Bea Cleo';

/** The members of every server: those of the emulated Discord, and as many others as make thirty who speak English. */
export const SAMPLE_MEMBERS: readonly Member[] = [
  ...DEFAULT_WORLD.members,
  ...NAMES.split(' ').map((name, index) => ({
    id: String(1_180_000_000_000_000_105n + BigInt(index)),
    name,
    locale: 'en-US',
  })),
];
