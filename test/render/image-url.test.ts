import { describe, expect, it } from 'vitest';
import { imageUrl } from '../../src/render/image-url.ts';

describe('imageUrl', () => {
  it.each([
    ['https', 'https://cards.test/a.png', 'https://cards.test/a.png'],
    ['http', 'http://cards.test/a.png', 'http://cards.test/a.png'],
    ['spaces, encoded', ' https://cards.test/a b.png ', 'https://cards.test/a%20b.png'],
    ['other scripts, encoded', 'https://cards.test/四', 'https://cards.test/%E5%9B%9B'],
    ['2,048 characters', `https://cards.test/${'x'.repeat(2_029)}`, `https://cards.test/${'x'.repeat(2_029)}`],
  ])('takes %s', (_, text, url) => {
    expect(imageUrl(text)).toBe(url);
  });

  it.each([
    ['missing', undefined],
    ['no address', 'a.png'],
    ['no scheme', '//cards.test/a.png'],
    ['javascript:', 'javascript:alert(1)'],
    ['data:', 'data:image/png;base64,AAAA'],
    ['file:', 'file:///etc/passwd'],
    ['attachment:', 'attachment://a.png'],
    ['no host', 'https://'],
    ['this machine', 'http://localhost/a.png'],
    ['this machine by number', 'http://127.0.0.1/a.png'],
    ['this machine in disguise', 'http://2130706433/a.png'],
    ['a private network', 'http://10.0.0.1/a.png'],
    ['an IPv6 address', 'http://[::1]/a.png'],
    ['a name inside a network', 'http://cards.internal./a.png'],
    ['a user and password', 'https://me:pw@cards.test/a.png'],
    ['2,049 characters', `https://cards.test/${'x'.repeat(2_030)}`],
    ['over 2,048 characters once encoded', `https://cards.test/${'四'.repeat(300)}`],
  ])('shows no picture for %s', (_, text) => {
    expect(imageUrl(text)).toBeUndefined();
  });
});
