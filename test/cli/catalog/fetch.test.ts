import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { closeServer, listen } from '../../../sandbox/listen.ts';
import { onFinished } from '../../support/on-finished.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { table } from '../../table.ts';
import { failing } from '../run.ts';
import { exported, runCatalog } from './cli-runs.ts';

type Answer = object | string | Buffer | ((request: IncomingMessage, response: ServerResponse) => void);

let folder: string;
/** Where the service listens that was started last. */
let url: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** A card service that answers these paths, texts with a status before them with that, and what it was asked. */
async function serving(answers: Record<string, Answer>) {
  const seen: { path: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    seen.push({ path, headers: request.headers });
    const answer = answers[path] ?? '404 {}';
    if (typeof answer === 'function') return answer(request, response);
    const sent = typeof answer === 'string' || Buffer.isBuffer(answer) ? answer : JSON.stringify(answer);
    const [, status = 200, text = sent] = (typeof answer === 'string' && /^(\d{3}) ?(.*)$/s.exec(answer)) || [];
    if (String(status).startsWith('3')) response.writeHead(Number(status), { location: String(text) }).end();
    else response.writeHead(Number(status)).end(text);
  });
  onFinished(() => closeServer(server));
  const port = await listen(server, 0);
  url = `http://127.0.0.1:${port}`;
  return { answers, seen, paths: () => seen.map(({ path }) => path), port };
}

/** An index whose rows lead on. */
const THEN = 'then';
const FAST = { plans: { free: { perSecond: 1_000 } } };

/** What the bot would offer with the last description. */
let bot: Record<string, string>;
const offered = () => exported(folder, bot);

/** @param description what differs from a service at `url` without a key and a limit */
async function fetching(description: object, outside: Parameters<typeof runCatalog>[2] = {}, ...args: string[]) {
  const whole = { name: 'My cards', url, key: false, fields: { id: 'id', name: 'name' }, ...FAST, ...description };
  await writeFile(join(folder, 'mine.json'), JSON.stringify(whole));
  bot = { CARD_SERVICE: join(folder, 'mine.json'), ...outside.env };
  return runCatalog(folder, ['fetch', ...args], { ...outside, env: bot });
}

const DRAKE = { id: 'a-1', name: 'Emberwing Drake' };
const GOLEM = { id: 'b-1', name: 'Wax Golem' };

describe('npm run catalog -- fetch', () => {
  const INDEX = { url: '/sets', [THEN]: '/{id}' };

  it('takes what came before a list was cut off, and all again the next time', async () => {
    const broken = (_: IncomingMessage, response: ServerResponse) => {
      response.writeHead(200, { 'content-length': '1000' }).write('[');
      setImmediate(() => response.destroy());
    };
    const service = await serving({ '/sets': [{ id: 1 }, { id: 2 }], '/1': [DRAKE], '/2': broken });
    const description = { names: INDEX };
    const says =
      /\/2 could not be fetched \(\w+\)\. What was taken stays\. Run the same command again for the rest\.\n$/;
    expect(await fetching(description)).toMatchObject(failing(says, 2));
    service.answers['/2'] = [GOLEM];
    expect(await fetching(description)).toMatchObject({ code: 0 });
    expect(await offered()).toHaveLength(2);
  });

  /** What the words of the table stand for. */
  const WORDS: Record<string, string> = {
    DRAKE: '"id":"a-1","name":"Emberwing Drake"',
    GOLEM: '"id":"b-1","name":"Wax Golem"',
    INDEX: JSON.stringify(INDEX),
    NAMED: '{"url":"/index","then":"{at}","hosts":["cards.example"]}',
    MANY: JSON.stringify(Array.from({ length: 5_001 }, (_, id) => ({ id }))),
  };
  const given = (cell = '') => JSON.parse(cell.replaceAll(/\b[A-Z]+\b(?=[\],}]|$)/g, (word) => WORDS[word] ?? word));

  it.each(table`
    imports the one list with names of fields as in an import, and says what it costs | {"/all":{"data":[{"code":"a-1","title":"Emberwing Drake","in":"First Light"}]}} | {"url":"/all","rows":"data","map":{"id":"code","name":"title","set":"in"},"game":"Lanternfolk"} | [{DRAKE,"set":"First Light","game":"Lanternfolk"}] | 0 /all | ^My cards: this takes 1 request\.\n$
    gets each list of an index, each value as one segment | {"/sets":{"results":[{"code":"a"},{"code":"../b?"}]},"/sets/a":{"set":"First Light","cards":[{DRAKE}]},"/sets/..%2Fb%3F":{"set":"Second Dusk","cards":[{GOLEM}]}} | {"url":"/sets","then":"/sets/{code}","rows":"cards","map":{"set":"../set"}} | [{DRAKE,"set":"First Light"},{GOLEM,"set":"Second Dusk"}] | 0 /sets /sets/a /sets/..%2Fb%3F | ^My cards: this takes 1 request, and then one for each list of its index\.\nMy cards: this takes 2 requests\.\n$
    takes the lists that are there | {"/sets":[{"id":1},{"id":2}],"/1":[{DRAKE}]} | INDEX | [{DRAKE}] | 2 /sets /1 /2 | /2 is not there .status 404.\.\n
    puts the rows of another address in place of a field | {"/all":[{DRAKE,"in":"fl"}],"/sets":[{"code":"fl","name":"First Light"}]} | {"url":"/all","join":["in=/sets:code"],"map":{"set":"in.name"}} | [{DRAKE,"set":"First Light"}] | 0 /sets /all | this takes 2 requests
    takes a web page for no list | {"/all":"<html>We are back soon.</html>"} | {"url":"/all"} | [] | 1 /all | /all looks like a web page or XML\.\n
    gives up on an index that is not JSON | {"/sets":"<html>"} | INDEX | [] | 1 /sets | /sets is not JSON\.\n
    gives up on one without what the address needs | {"/sets":[{"name":"x"}]} | INDEX | [] | 1 /sets | A row of the index has no value for the address in .names.then.\.\n
    gives up on one with dots for a segment | {"/sets":[{"id":".."}]} | INDEX | [] | 1 /sets | has no value
    gives up on one of 5,001 lists | {"/sets":MANY} | INDEX | [] | 1 /sets | names more than 5,000 lists\.\n
    shows of a refusal the words of the service | {"/all":"403 {\"error\":\"Your plan has no lists.\"}"} | {"url":"/all"} | [] | 1 /all | /all answers with status 403: {"error":"Your plan has no lists."}\. 
    shows them on one line that a terminal may show | {"/all":"404 No such\r\n\u001b[31m list \u202e\n"} | {"url":"/all"} | [] | 1 /all | /all is not there .status 404: No such .31m list.\.\n
    shows the title of a page | {"/all":"422 <html><title>Bad filter</title></html>"} | {"url":"/all"} | [] | 1 /all | /all is not there .status 422: Bad filter.\.\n
    shows 200 characters of a refusal | {"/all":"400 ${'x'.repeat(3_000)}"} | {"url":"/all"} | [] | 1 /all | /all is not there .status 400: ${'x'.repeat(199)}….\.\n
    shows nothing of one that is no text | {"/all":"403 \u0000\ufffd"} | {"url":"/all"} | [] | 1 /all | /all answers with status 403\. 
    follows five redirects | {"/all":"302 /all"} | {"url":"/all"} | [] | 1 /all /all /all /all /all /all | /all answers with status 302\. 
    refuses an address without TLS | {"/index":[{"at":"http://cards.example/x"}]} | NAMED | [] | 1 /index | cards.example/x is not fetched
    refuses an address with a port | {"/index":[{"at":"https://cards.example:8443/x"}]} | NAMED | [] | 1 /index | cards.example:8443/x is not fetched
    refuses an address with a user | {"/index":[{"at":"https://user:secret@cards.example/x"}]} | NAMED | [] | 1 /index | \ncards.example/x is not fetched
    refuses the address of a file | {"/index":[{"at":"file:///etc/hosts"}]} | NAMED | [] | 1 /index | /etc/hosts is not fetched
    refuses what is no address | {"/index":[{"at":"nowhere"}]} | NAMED | [] | 1 /index | The description or its index names a list whose address is none\.
  `)('%s', async (_, answers, names, cards, ends = '', says = '') => {
    const service = await serving(given(answers));
    const [code, ...paths] = ends.split(' ');
    const fetched = await fetching({ url: `${url}/`, names: given(names) });
    expect(fetched).toMatchObject(failing(new RegExp(says), Number(code)));
    expect(fetched.err).not.toContain('secret');
    expect(service.paths()).toEqual(paths);
    expect(service.seen[0]?.headers['user-agent']).toMatch(/^cardbot\//);
    expect(new Set(await offered())).toEqual(new Set(given(cards)));
  });

  it('speaks of the key where one was refused that was sent, and never shows it', async () => {
    const service = await serving({});
    service.answers['/all'] = ({ headers }, response) => response.writeHead(403).end(`Not for ${headers['x-key']}`);
    const names = { url: '/all' };
    const keyless = await fetching({ names });
    expect(keyless).toMatchObject(failing('status 403: Not for undefined. '));
    expect(keyless.err).not.toContain('KEY');
    const key = { header: 'X-Key' };
    const keyed = { env: { CARD_SERVICE_API_KEY: 'the-key' } };
    const { err } = await fetching({ key, names }, keyed);
    expect(err).toContain('Not for [secret]. Check CARD_SERVICE_API_KEY, and what the plan allows.');
    await serving({ '/moved': `302 http://localhost:${service.port}/all` });
    const moved = { key, names: { url: '/moved', hosts: ['localhost'] } };
    expect((await fetching(moved, keyed)).err).not.toContain('KEY');
  });

  it('asks first if the service counts requests, and wants --yes where nobody can be asked', async () => {
    const service = await serving({ '/sets': [{ id: 1 }], '/1': [DRAKE] });
    const description = {
      plans: { free: { perDay: 100, perSecond: 1_000 } },
      names: INDEX,
    };
    expect(await fetching(description)).toMatchObject({
      code: 1,
      err: 'My cards: this takes 1 request, and then one for each list of its index, of 100 a day. Add --yes to go ahead.\n',
    });
    const asked: string[] = [];
    const saying = (...answers: string[]) => ({
      ask: async (question: string) => {
        asked.push(question);
        return answers.shift() ?? 'no';
      },
    });
    expect(await fetching(description, saying('no'))).toMatchObject({ code: 1 });
    expect(service.paths()).toEqual([]);
    expect(await fetching(description, saying('yes', 'no'))).toMatchObject({
      code: 1,
      err: 'Nothing more was sent.\n',
    });
    expect(asked.at(-1)).toBe('My cards: this takes 1 request, of 100 a day. Type yes to go ahead: ');
    expect(service.paths()).toEqual(['/sets']);
    expect(await fetching(description, {}, '--yes')).toMatchObject({ code: 0 });
    expect(service.paths()).toEqual(['/sets', '/sets', '/1']);
  });

  it('goes to other hosts only where the description names them, with neither key nor further headers', async () => {
    const lists = await serving({ '/all.jsonl.gz': gzipSync(`${JSON.stringify(DRAKE)}\n${JSON.stringify(GOLEM)}\n`) });
    const address = `http://localhost:${lists.port}/all.jsonl.gz`;
    const service = await serving({
      '/bulk': { type: 'all', at: address },
      '/moved': `302 ${address}`,
    });
    const description = { key: { header: 'X-Key' }, headers: { 'X-Team': '$CARD_SERVICE_TEAM' } };
    const env = { CARD_SERVICE_API_KEY: 'the-key', CARD_SERVICE_TEAM: 'the-team' };
    const says = `localhost:${lists.port}/all.jsonl.gz is not fetched: the description names no such host, or it is not https.`;
    for (const names of [{ url: '/bulk', [THEN]: '{at}' }, { url: '/moved' }])
      expect(await fetching({ ...description, names }, { env })).toMatchObject(failing(says));
    expect(lists.seen).toEqual([]);
    for (const names of [{ url: '/bulk', [THEN]: ['{absent}', '{at}'] }, { url: '/moved' }, { url: address }]) {
      const allowed = { ...description, names: { ...names, hosts: ['localhost'] } };
      expect(await fetching(allowed, { env })).toMatchObject({ code: 0 });
      expect(lists.seen.at(-1)?.headers).toMatchObject({ 'user-agent': expect.stringMatching(/^cardbot\//) });
    }
    expect(lists.seen).toHaveLength(3);
    expect(JSON.stringify(lists.seen)).not.toMatch(/the-key|the-team/);
    expect(service.seen[0]?.headers).toMatchObject({ 'x-key': 'the-key', 'x-team': 'the-team' });
  });

  it.each(table`
    0.01 | | | 0 | 1 request\.\n$
    600 | | | 1 | to wait 10 minutes\. What was taken stays\. Run the same command again for the rest\.\n$
    600 | {"error":"The day is used up"} | | 1 | to wait 10 minutes: {"error":"The day is used up"}\. What
    0 | | {"shutOutSeconds":3600} | 1 | 60 minutes
  `)(
    'waits the %s s that a 429 asks (%s, %s), unless it is more than a minute',
    async (after, body, more, code, says = '') => {
      const { answers } = await serving({});
      answers['/all'] = (_, response) => {
        response.writeHead(429, { 'retry-after': after }).end(body);
        answers['/all'] = [DRAKE];
      };
      const description = { names: { url: '/all' }, ...JSON.parse(more || '{}') };
      expect(await fetching(description)).toMatchObject(failing(new RegExp(says), Number(code)));
    },
  );

  it('says where to look when the service has no list', async () => {
    expect(await fetching({ url: 'https://cards.example' })).toMatchObject({
      code: 1,
      err: 'My cards has no list that can be fetched. See docs/catalogues.md for others.\n',
    });
  });

  it('sends no request before the pace of the plan allows it', async () => {
    await serving({ '/sets': [{ id: 1 }], '/1': [DRAKE] });
    const atMs = performance.now();
    await fetching({ plans: { free: { perSecond: 5 } }, names: INDEX });
    expect(performance.now() - atMs).toBeGreaterThan(190);
  });
});

describe('names', () => {
  it('belong to the address and the form of ids: those of another card service are not offered', async () => {
    await serving({ '/all': [DRAKE] });
    await fetching({ names: { url: '/all' } });
    expect((await runCatalog(folder, ['stats'], { env: bot })).out).toContain('\n  My cards: 1\n');
    const mine = bot;
    await runCatalog(folder, ['import', '-'], { stdin: 'id,name\nb-1,Wax Golem\n' });
    expect(await offered()).toEqual([DRAKE]);
    bot = {};
    expect(await offered()).toEqual([GOLEM]);
    bot = { ...mine, CARD_SERVICE_URL: 'https://cards.example/' };
    expect(await offered()).toEqual([]);
    bot = mine;
    await fetching({ card: { ids: 'digits' } });
    expect(await offered()).toEqual([]);
  });
});

it.each(table`
  tcgdex | {"/sets":[{"id":"fl"}],"/sets/fl":{"cardCount":{"official":102},"releaseDate":"2026-11-20","name":"First Light","cards":[{"id":"fl-4","localId":4,"name":"Emberwing Drake"}]}} | {"id":"fl-4","name":"Emberwing Drake","set":"First Light","number":"4","game":"Pokémon","released":"2026-11-20"}
  scryfall | {"/bulk-data/default_cards":{"object":"bulk_data","download_uri":"ORIGIN/all.json"},"/all.json":[{"id":"a-1","name":"Emberwing Drake","set":"fli","set_name":"First Light","collector_number":"161","released_at":"2026-11-20"}]} | {"id":"a-1","name":"Emberwing Drake","set":"First Light","number":"161","game":"Magic: The Gathering","released":"2026-11-20","also":["fli"]}
  ygoprodeck | {"/cardinfo.php":{"data":[{"id":900001,"name":"Emberwing Drake","card_images":[{"id":900001},{"id":900002}],"card_sets":[{"set_name":"First Light","set_code":"FLI-EN043"}]},{"id":900003,"name":"Wax Golem","card_images":[{"id":900003}]}]}} | {"id":"900001","name":"Emberwing Drake","game":"Yu-Gi-Oh!","also":["900001","900002","FLI-EN043"]}
  lorcast | {"/sets":{"results":[{"id":"set_1","code":"1"}]},"/sets/1/cards":[{"id":"crd_1","name":"Emberwing Drake","version":"Last Light","set":{"code":"1","name":"First Light"},"collector_number":"12","rarity":"Super_rare","released_at":"2026-11-20"}]} | {"id":"1:12","name":"Emberwing Drake - Last Light","set":"First Light","number":"12","game":"Disney Lorcana","also":["Super rare"],"released":"2026-11-20"}
`)('the list of %s becomes names', async (name = '', answers = '', card = '') => {
  const service = await serving({});
  Object.assign(service.answers, JSON.parse(answers.replace('ORIGIN', url)));
  bot = { CARD_SERVICE: name, CARD_SERVICE_URL: url, CARD_SERVICE_REQUESTS_PER_MINUTE: '60000' };
  expect(await runCatalog(folder, ['fetch'], { env: bot })).toMatchObject({ code: 0 });
  expect((await offered())[0]).toEqual(JSON.parse(card));
});
