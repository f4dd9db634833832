import { expect, it } from 'vitest';
import { messageBody } from '../../../src/discord/rest/message-body.ts';

it('a file of a message is named by the number of its part, as text: Discord has no numeric ids', () => {
  const file = { name: 'day.png', contentType: 'image/png', data: new Uint8Array([1]), description: 'the day' };
  const { body, files } = messageBody({ content: 'a day', files: [file] });
  expect(body).toEqual({
    content: 'a day',
    attachments: [{ id: '0', filename: 'day.png', description: 'the day' }],
  });
  expect(files).toMatchObject([{ name: 'day.png', contentType: 'image/png' }]);
});
