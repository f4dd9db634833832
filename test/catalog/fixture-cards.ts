import type { CatalogCard } from '../../src/catalog/catalog-card.ts';
import { queryOf } from '../../src/catalog/words.ts';
import { seededRandom } from '../../src/sandbox/seeded-random.ts';

/** Names, sets and numbers as they are printed; ids as public catalogues write them, or in their manner. */
const PRINTED: Readonly<Record<string, string>> = {
  Pokémon: `
    base1-1|Alakazam|Base|1/102
    base1-2|Blastoise|Base|2/102
    base1-4|Charizard|Base|4/102
    base1-10|Mewtwo|Base|10/102
    base1-15|Venusaur|Base|15/102
    base1-16|Zapdos|Base|16/102
    base1-24|Charmeleon|Base|24/102
    base1-27|Farfetch'd|Base|27/102
    base1-46|Charmander|Base|46/102
    base1-55|Nidoran♂|Base|55/102
    base1-58|Pikachu|Base|58/102
    base1-70|Clefairy Doll|Base|70/102
    base1-88|Professor Oak|Base|88/102
    base2-1|Clefable|Jungle|1/64
    base2-6|Mr. Mime|Jungle|6/64
    base2-57|Nidoran♀|Jungle|57/64
    base2-60|Pikachu|Jungle|60/64
    base3-1|Aerodactyl|Fossil|1/62
    base3-5|Gengar|Fossil|5/62
    base4-4|Charizard|Base Set 2|4/130
    base5-4|Dark Charizard|Team Rocket|4/82
    gym1-2|Brock's Rhydon|Gym Heroes|2/132
    gym1-54|Misty's Psyduck|Gym Heroes|54/132
    gym2-2|Blaine's Charizard|Gym Challenge|2/132
    gym2-14|Rocket's Mewtwo|Gym Challenge|14/132
    neo1-9|Lugia|Neo Genesis|9/111
    neo3-7|Ho-Oh|Neo Revelation|7/64
    neo4-107|Shining Charizard|Neo Destiny|107/105
    ex3-100|Charizard|Dragon|100/97
    ex11-101|Pikachu ☆|Holon Phantoms|104/110
    ex13-4|Charizard δ|Dragon Frontiers|4/101
    ex10-!|Unown|Unseen Forces|!/28
    ex10-?|Unown|Unseen Forces|?/28
    xy1-1|Venusaur-EX|XY|1/146
    xy2-11|Charizard-EX|Flashfire|11/106
    xy2-69|M Charizard-EX|Flashfire|69/106
    xy7-61|Flabébé|Ancient Origins|61/98
    xyp-XY17|Pikachu|XY Black Star Promos|XY17
    sm1-89|Type: Null|Sun & Moon|89/149
    sm3-20|Charizard-GX|Burning Shadows|20/147
    sm9-33|Pikachu & Zekrom-GX|Team Up|33/181
    sm11-54|Mewtwo & Mew-GX|Unified Minds|71/236
    sm75-7|Tapu Koko|Dragon Majesty|7/70
    swsh1-138|Zacian V|Sword & Shield|138/202
    swsh3-19|Charizard V|Darkness Ablaze|19/189
    swsh3-20|Charizard VMAX|Darkness Ablaze|20/189
    swsh7-215|Umbreon VMAX|Evolving Skies|215/203
    swsh9-18|Charizard VSTAR|Brilliant Stars|18/172
    swsh9tg-TG03|Charizard|Brilliant Stars Trainer Gallery|TG03/TG30
    swsh10-78|Porygon2|Astral Radiance|78/189
    swsh11-186|Giratina V|Lost Origin|186/196
    sv1-25|Sprigatito|Scarlet & Violet|13/198
    sv3-125|Charizard ex|Obsidian Flames|125/197
    sv3pt5-6|Charizard ex|151|6/165
    sv3pt5-25|Pikachu|151|25/165
    sv4-123|Iron Valiant ex|Paradox Rift|89/182
    swsh12-139|Lugia VSTAR|Silver Tempest|139/195
    sm35-77|Ultra Beast Nihilego|Shining Legends|77/73`,
  'Pokémon (日本)': `
    SV2a-6|リザードンex|ポケモンカード151|006/165
    SV2a-25|ピカチュウ|ポケモンカード151|025/165
    SV2a-150|ミュウツー|ポケモンカード151|150/165
    SV2a-151|ミュウex|ポケモンカード151|151/165
    SV2a-133|イーブイ|ポケモンカード151|133/165
    S12a-14|リザードンVSTAR|VSTARユニバース|014/172
    S8b-187|ブラッキーVMAX|VMAXクライマックス|187/184
    S6a-95|エーフィVMAX|イーブイヒーローズ|095/069
    CSV1-6|喷火龙|宝石包|006/165
    CSV1-25|皮卡丘|宝石包|025/165
    CSV1-150|超梦|宝石包|150/165
    CSV2-94|耿鬼|太晶盛宴|094/204
    KR1-6|리자몽|151|006/165
    KR1-25|피카츄|151|025/165`,
  'Magic: The Gathering': `
    lea-232|Black Lotus|Limited Edition Alpha|232
    lea-161|Lightning Bolt|Limited Edition Alpha|161
    m10-146|Lightning Bolt|Magic 2010|146
    clb-187|Lightning Bolt|Commander Legends: Battle for Baldur's Gate|187
    m11-149|Lightning Strike|Magic 2011|149
    lea-270|Sol Ring|Limited Edition Alpha|270
    c21-263|Sol Ring|Commander 2021|263
    dst-4|Æther Vial|Darksteel|91
    inv-242|Lim-Dûl's Vault|Alliances|107
    ice-195|Jötun Grunt|Coldsnap|8
    wwk-31|Jace, the Mind Sculptor|Worldwake|31
    isd-51|Snapcaster Mage|Innistrad|78
    mrd-206|Oblivion Stone|Mirrodin|222
    thb-147|Ox of Agonas|Theros Beyond Death|147
    khm-97|Tergrid, God of Fright|Kaldheim|112
    mid-61|Memory Deluge|Innistrad: Midnight Hunt|62
    neo-141|Fable of the Mirror-Breaker|Kamigawa: Neon Dynasty|141
    neo-29|March of Otherworldly Light|Kamigawa: Neon Dynasty|28
    one-10|Elesh Norn, Mother of Machines|Phyrexia: All Will Be One|10
    ltr-246|The One Ring|The Lord of the Rings: Tales of Middle-earth|246
    mh2-138|Ragavan, Nimble Pilferer|Modern Horizons 2|138
    mh2-87|Grief|Modern Horizons 2|87
    afr-136|Ancient Copper Dragon|Commander Legends|161
    dmu-107|Sheoldred, the Apocalypse|Dominaria United|107
    unh-23|"Ach! Hans, Run!"|Unhinged|116
    leg-27|Force of Will|Alliances|28
    usg-321|Gaea's Cradle|Urza's Saga|321
    lea-48|Ancestral Recall|Limited Edition Alpha|47
    lea-83|Time Walk|Limited Edition Alpha|84
    ths-181|Xenagos, the Reveler|Theros|209
    zen-201|Misty Rainforest|Zendikar|220
    ktk-239|Polluted Delta|Khans of Tarkir|239
    plst-1|Séance|Dark Ascension|20
    rav-123|Dandân|Arabian Nights|12`,
  'Yu-Gi-Oh!': `
    LOB-EN001|Blue-Eyes White Dragon|Legend of Blue Eyes White Dragon|LOB-EN001
    LOB-EN005|Dark Magician|Legend of Blue Eyes White Dragon|LOB-EN005
    LOB-EN124|Exodia the Forbidden One|Legend of Blue Eyes White Dragon|LOB-EN124
    LOB-EN070|Red-Eyes B. Dragon|Legend of Blue Eyes White Dragon|LOB-EN070
    MFC-000|Dark Magician Girl|Magician's Force|MFC-000
    SDY-006|Dark Magician|Starter Deck: Yugi|SDY-006
    SDK-001|Blue-Eyes White Dragon|Starter Deck: Kaiba|SDK-001
    MRD-138|Mirror Force|Metal Raiders|MRD-138
    LON-065|Change of Heart|Labyrinth of Nightmare|LON-065
    PSV-104|Call of the Haunted|Pharaoh's Servant|PSV-012
    DUSA-EN001|D/D/D Doom King Armageddon|Dimension of Chaos|DOCS-EN026
    SP13-EN024|Number 39: Utopia|Generation Force|GENF-EN039
    GLAS-EN002|B.E.S. Big Core|Strike of Neos|STON-EN013
    POTE-EN001|Elemental HERO Neos|Power of the Elements|POTE-EN010
    RA01-EN008|Ash Blossom & Joyous Spring|25th Anniversary Rarity Collection|RA01-EN008
    MACR-EN036|Ash Blossom & Joyous Spring|Maximum Crisis|MACR-EN036
    DUDE-EN003|Accesscode Talker|Duel Devastator|DUDE-EN003
    IGAS-EN044|I:P Masquerena|Ignition Assault|IGAS-EN044
    RIRA-EN046|Sky Striker Ace - Kagari|Dark Saviors|DASA-EN027
    BLAR-EN051|Thunder Dragon Colossus|Battles of Legend: Armageddon|BLAR-EN051
    OP20-EN001|Kuriboh|Metal Raiders|MRD-071
    TN19-EN013|Slifer the Sky Dragon|2019 Gold Sarcophagus Tin|TN19-EN013
    CT13-EN003|Obelisk the Tormentor|2016 Mega-Tins|CT13-EN003
    DIFO-EN010|Spright Blue|Power of the Elements|POTE-EN003`,
  'One Piece': `
    OP01-001|Roronoa Zoro|Romance Dawn|OP01-001
    OP01-003|Monkey.D.Luffy|Romance Dawn|OP01-003
    OP01-016|Nami|Romance Dawn|OP01-016
    OP01-120|Shanks|Romance Dawn|OP01-120
    OP02-013|Portgas.D.Ace|Paramount War|OP02-013
    OP05-060|Monkey.D.Luffy|Awakening of the New Era|OP05-060
    OP05-119|Monkey.D.Luffy|Awakening of the New Era|OP05-119
    OP06-118|Roronoa Zoro|Wings of the Captain|OP06-118
    OP07-051|Boa Hancock|500 Years in the Future|OP07-051
    ST01-012|Monkey.D.Luffy|Straw Hat Crew|ST01-012
    ST10-010|Trafalgar Law|The Three Captains|ST10-010
    EB01-006|Tony Tony.Chopper|Memorial Collection|EB01-006
    OP04-083|Sabo|Kingdoms of Intrigue|OP04-083
    OP03-099|Charlotte Katakuri|Pillars of Strength|OP03-099`,
  Lorcana: `
    TFC-42|Elsa - Spirit of Winter|The First Chapter|42/204
    TFC-115|Mickey Mouse - Brave Little Tailor|The First Chapter|115/204
    TFC-191|Tinker Bell - Giant Fairy|The First Chapter|193/204
    ROF-63|Sisu - Divine Water Dragon|Rise of the Floodborn|159/204
    ROF-77|Beast - Tragic Hero|Rise of the Floodborn|173/204
    ITI-108|Robin Hood - Champion of Sherwood|Into the Inklands|190/204
    UR-29|Stitch - Rock Star|The First Chapter|23/204
    TFC-104|Dragon Fire|The First Chapter|130/204
    ROF-184|A Pirate's Life|Ursula's Return|128/204`,
};

export const CARDS: readonly CatalogCard[] = Object.entries(PRINTED).flatMap(([game, lines]) =>
  lines
    .trim()
    .split('\n')
    .map((line) => {
      const [id = '', name = '', set = '', number = ''] = line.trim().split('|');
      return { id, name, set, number, game };
    }),
);

const SYLLABLES = 'bra chu dor el fin gar hol ix jun kal lor mun nar os pri quo rin sal tor ul vex wyn yor zan'.split(
  ' ',
);

/** Cards that are in nobody's mind, with names, sets and numbers of the same kind. */
export function noise(count: number): CatalogCard[] {
  const random = seededRandom('noise');
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T;
  const name = () => Array.from({ length: 2 + Math.floor(random() * 2) }, () => pick(SYLLABLES)).join('');
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  const sets = Array.from({ length: 40 }, (_, at) => ({
    id: `${pick(SYLLABLES)}${at}`,
    name: `${capital(name())} ${capital(name())}`,
  }));
  const cards = Array.from({ length: count }, (_, at) => {
    const set = pick(sets);
    const words = Array.from({ length: 1 + Math.floor(random() * 3) }, () => capital(name()));
    const number = `${1 + Math.floor(random() * 200)}/${150 + set.id.length * 17}`;
    return { id: `${set.id}-${at}`, name: words.join(' '), set: set.name, number, game: pick(Object.keys(PRINTED)) };
  });
  return cards.filter((card) => queryOf(card.name).nameKey !== '');
}
