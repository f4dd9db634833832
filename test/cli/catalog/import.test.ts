import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { table } from '../../table.ts';
import { failing } from '../run.ts';
import { exported, runCatalog } from './cli-runs.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** @param files by their names: a text, or what is JSON in it */
async function write(files: Record<string, unknown>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

const imports = (line: string) => runCatalog(folder, ['import', ...line.split(' ')]);

async function importing(file: string, text: string) {
  await write({ [file]: text });
  return imports(file);
}

const CARDS = 'name,id,rarity,number,set\nEmberwing Drake,base1-4,rare,4/102,Base\nTidecaller,base1-5,rare,,Base\n';

const NONE = String.raw`0 cards, 0 new or changed; 1 refused\n`;
const BAD = Array.from({ length: 20 }, (_, at) => String.raw`cards.csv: line ${at + 3} has no id.\n`);
const CURE = String.raw`say with --map which it is, or with --rows where cards are.\n`;

it.each(table`
  all cards of a file are taken, and the same file again changes nothing | {"cards.csv":CARDS} | import cards.csv; import cards.csv; export | 0 cards.csv: 2 cards, 2 new or changed; 0 refused\n / 0 cards.csv: 2 cards, 0 new or changed; 0 refused\n / 0 {"id":"base1-4","name":"Emberwing Drake","set":"Base","number":"4/102"}\n{"id":"base1-5","name":"Tidecaller","set":"Base"}\nstandard output: 2 cards\n
  bad lines are skipped, of which twenty are named and the others counted | {"cards.csv":"id,name\n1,a\n${String.raw`,no id\n`.repeat(25)}2,b\n"} | import cards.csv | 2 cards.csv: 2 cards, 2 new or changed; 25 refused\n${BAD.join('')}5 more were refused.\n
  a folder of one file is taken as that file | {"one/cards.csv":CARDS} | import one | 0 one/cards.csv: 2 cards, 2 new or changed; 0 refused\n
  the next file is taken after one that cannot be read, or a folder without such files | {"good.csv":CARDS,"empty.csv":"","inner/notes.md":""} | import empty.csv nowhere.csv inner good.csv | 2 All 4 files: 2 cards, 2 new or changed; 3 refused\nempty.csv is empty.\nnowhere.csv cannot be read (ENOENT: no such file or directory, open '/nowhere.csv').\ninner is a folder: name files of cards in it.\n
  a file without an id and a name is explained | {"cards.csv":"uuid,title\n1,a\n"} | import cards.csv | 1 cards.csv: ${NONE}cards.csv has no id and no name, only uuid, title: ${CURE}
  a file without a name is explained | {"cards.csv":"id,\u001b[31m\t,${'x,'.repeat(90)}y\n${'1,'.repeat(92)}1\n"} | import cards.csv | 1 cards.csv: ${NONE}cards.csv has no name, only id, _31m, x, y: ${CURE}
  a file without a name that has a similar one is explained | {"cards.csv":"Card Name,Id\na,1\n"} | import cards.csv | 1 cards.csv: ${NONE}cards.csv has no name, only card name, id: ${CURE}
  a file that is quoted whole is explained | {"cards.csv":"\"id,name\"\n\"1,a\"\n"} | import cards.csv | 1 cards.csv: ${NONE}cards.csv has no id and no name, only id,name: ${CURE}
  a file of which nothing can be taken is explained | {"cards.jsonl":"{\"id\":1,\"name\":\"\"}\n"} | import cards.jsonl | 1 cards.jsonl: ${NONE}cards.jsonl: line 1 has no name.\n
  JSON without an id and a name is explained | {"cards.json":[{"uuid":1,"title":"a"}]} | import cards.json | 1 cards.json: ${NONE}cards.json: card 1 has no id.\ncards.json has no id and no name, only uuid, title: ${CURE}
  JSON with its cards further in is explained | {"cards.json":{"cards":[{"id":1}]}} | import cards.json | 1 cards.json: ${NONE}cards.json: line 1 has no id.\ncards.json has no id and no name, only cards: ${CURE}
  several files have a total, and ids that came twice are named, in a file and across files | {"a.json":[{"id":"x","name":"A"},{"id":"x","name":"B"}],"b.json":[{"id":"x","name":"C"}],"c.json":[]} | import a.json b.json c.json; export | 0 All 3 files: 3 cards, 3 new or changed; 0 refused; 1 id (x) came twice, the last counts\nNo cards in 1 file (c.json).\nNew names for 2 ids (x: A → B, x: B → C): if these are other cards, make ids with --id-template.\n / 0 {"id":"x","name":"C"}\nstandard output: 1 card\n
  an id that has another name now is named, unless the same file said so before | {"bulls.json":{"id":"Base-1","name":"Kobe Bryant"},"heat.json":{"id":"Base-1","name":"Jimmy Butler"}} | import bulls.json; import heat.json; import heat.json | 0 bulls.json: 1 card, 1 new or changed; 0 refused\n / 0 heat.json: 1 card, 1 new or changed; 0 refused\nNew names for 1 id (Base-1: Kobe Bryant → Jimmy Butler): if these are other cards, make ids with --id-template.\n / 0 heat.json: 1 card, 0 new or changed; 0 refused\n
  cards are kept when those of another game have the same ids, under whatever name of their game | {"netrunner.json":{"id":"01001","name":"Noise"},"arkham.json":[{"id":"01001","name":"Roland Banks"},{"id":"01002","name":"Daisy Walker"}]} | import netrunner.json --game Netrunner; import arkham.json --game Arkham; export; import netrunner.json --game Android | 0 netrunner.json: 1 card, 1 new or changed; 0 refused\n / 2 arkham.json: 1 card, 1 new or changed; 1 refused\narkham.json: card 1 has the id of Noise, a card of Netrunner.\n / 0 {"id":"01001","name":"Noise","game":"Netrunner"}\n{"id":"01002","name":"Daisy Walker","game":"Arkham"}\nstandard output: 2 cards\n / 0 netrunner.json: 1 card, 1 new or changed; 0 refused\n
  so are those of one file | {"both.json":[{"id":"x","name":"Noise","game":"Netrunner"},{"id":"x","name":"Roland Banks","game":"Arkham"}]} | import both.json; import both.json | 2 both.json: 1 card, 1 new or changed; 1 refused\nboth.json: card 2 has the id of Noise, a card of Netrunner.\n / 2 both.json: 1 card, 0 new or changed; 1 refused\nboth.json: card 2 has the id of Noise, a card of Netrunner.\n
  a mapping that finds nothing in any card is named | {"other.csv":"id,name,no\n1,a,\n","cards.csv":"id,name,no\n2,b,7\n"} | import other.csv cards.csv --map number=no,set=st | 0 All 2 files: 2 cards, 2 new or changed; 0 refused\n--map set=st found nothing in any card.\n
  one that finds nothing around the cards is, too | {"set.json":{"name":"Alpha","cards":[{"id":3,"name":"c"}]}} | import set.json --rows cards --map set=../nmae | 0 set.json: 1 card, 1 new or changed; 0 refused\n--map set=../nmae found nothing in any card.\n
  a joined file that cannot be read is a sentence | {"cards.csv":CARDS,"sets/notes.md":""} | import cards.csv --join set=sets | 1 sets is a folder: name files of cards in it.\n
  stats say how many cards there are and where they came from, but for an import that failed | {"failed.csv":"uuid,title\n1,a\n","cards.csv":CARDS} | import failed.csv; import cards.csv; stats | 1 failed.csv: ${NONE}failed.csv has no id and no name, only uuid, title: ${CURE} / 0 cards.csv: 2 cards, 2 new or changed; 0 refused\n / 0 Cards: 2 with 2 names\nConfirmed by the card service: 0\nDenied by it, while a copy is kept: 0\nNot confirmed: 2\n  cards.csv: 2\nOn disk: N MB\n
`)('%s', async (_, files = '', lines = '', expected) => {
  await write(JSON.parse(files.replaceAll('CARDS', JSON.stringify(CARDS))));
  const said: string[] = [];
  for (const line of lines.split('; ')) {
    const { code, out, err } = await runCatalog(folder, line.split(' '));
    said.push(
      `${code} ${out}${err}`
        .replaceAll(folder, '')
        .replace(/0[.]\d(?= MB)/, 'N')
        .replaceAll('\n', '\\n'),
    );
  }
  expect(said.join(' / ')).toBe(expected);
});

it('an import takes a folder for the files in it, linked or not, that may have cards', async () => {
  const second = JSON.stringify({ id: 'x', name: 'Boulder' }, null, 2);
  await write({ 'first.csv': CARDS, 'cards/older/second.json': second, 'cards/third.yaml': 'id: y' });
  await symlink('../first.csv', join(folder, 'cards/first.csv'));
  expect(await imports('cards')).toMatchObject({ code: 0, err: '' });
  expect(await exported(folder)).toHaveLength(3);
  // Of lists with a file for each card, only a source of many can be withdrawn.
  expect((await runCatalog(folder, ['stats'])).out).toContain('\n  cards: 3\n');
});

it('an import shares the catalog with another import', async () => {
  const text = (of: string) =>
    ['id,name', ...Array.from({ length: 1_000 }, (_, index) => `${of}-${index},Name ${index}`)].join('\n');
  const both = await Promise.all([importing('a.csv', text('a')), importing('b.csv', text('b'))]);
  for (const each of both) expect(each).toMatchObject({ code: 0, err: '' });
  expect(await exported(folder)).toHaveLength(2_000);
});

it.each(table`
  import | missing required argument 'file'
  import x --map rarity=x | Write FIELD=SOURCE, where FIELD is one of id, name, set, number, game, released, also.
  import x --id-template set | Write names of fields in braces
  import x --join Groups.csv | Write FIELD=FILE
  export cards.csv | too many arguments for 'export'
  stats --dry-run | unknown option '--dry-run'
  stats | REDIS_URL: write an address that begins with redis:// or rediss:// | REDIS_URL=http://x
  stats | CARD_SERVICE: /nowhere.json: the file cannot be read | CARD_SERVICE=/nowhere.json
`)('wrong arguments and settings (%s) are explained, with exit code 1', async (line = '', says = '', setting = '') => {
  const [name = '', value = ''] = setting.split('=');
  expect(await runCatalog(folder, line.split(' '), { env: { [name]: value } })).toMatchObject(failing(says));
});
