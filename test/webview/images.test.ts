import assert from 'node:assert/strict';
import { it } from 'node:test';
import { IMAGE, PNG } from '../support/images.ts';
import { assistant, talk } from '../support/judging.ts';
import { describeView } from '../support/view/describeView.ts';
import { buildSnapshot } from '../support/view/snapshots.ts';

const HOSTILE = '"><img src=x onerror=alert(1)> <b>red</b>';
const SOURCE = `data:image/png;base64,${PNG.toString('base64')}`;

const talkAbout = (alt: string) =>
  talk(
    { role: 'user', content: `What is it?\n\n[image: ${alt}]`, images: [{ ...IMAGE, alt }] },
    assistant('A red square.'),
  );

describeView('images in the conversation view', ({ view, show, turn }) => {
  const requests = async () => (await view().posted()).filter(({ kind }) => kind === 'load-image');
  const size = () => turn(1).locator('.image img').boundingBox();

  it('are requested once, and shown as thumbnails that Enter enlarges', async () => {
    await show(buildSnapshot({ conversation: talkAbout('A red square'), verdicts: [] }));
    assert.deepEqual(await requests(), [{ kind: 'load-image', digest: IMAGE.digest }]);
    await view().send({ kind: 'image', digest: IMAGE.digest, source: SOURCE });
    await view().until("document.querySelector('.image img').naturalWidth === 400");
    const thumbnail = await size();
    assert.ok(thumbnail && thumbnail.height <= 162);
    await turn(1).getByRole('img', { name: 'Image: A red square' }).waitFor();
    await turn(1).locator('.image > summary').focus();
    await view().page.keyboard.press('Enter');
    const large = await size();
    assert.ok(large && large.height > 300);
    await show(buildSnapshot({ conversation: talkAbout('A red square'), verdicts: [] }));
    assert.deepEqual((await requests()).length, 1);
    assert.deepEqual(await view().violations(), []);
  });

  it('that are missing are named', async () => {
    await show(buildSnapshot({ conversation: talkAbout('A red square'), verdicts: [] }));
    await view().send({ kind: 'image', digest: IMAGE.digest });
    await turn(1).getByText('⚠ The image is missing: its file was removed or changed.').waitFor();
    assert.ok((await turn(1).innerText()).includes('[image: A red square]'));
  });

  it('show their text as text', async () => {
    await show(buildSnapshot({ conversation: talkAbout(HOSTILE), verdicts: [] }));
    await view().send({ kind: 'image', digest: IMAGE.digest, source: SOURCE });
    await turn(1)
      .getByRole('img', { name: `Image: ${HOSTILE}` })
      .waitFor();
    assert.equal(await turn(1).locator('b').count(), 0);
    assert.equal(await turn(1).locator('img').count(), 1);
    assert.deepEqual(await view().violations(), []);
  });

  for (const source of ['data:image/svg+xml;base64,AAAA', 'https://example.com/a.png', 'data:x']) {
    it(`never load ${source}`, async () => {
      await show(buildSnapshot({ conversation: talkAbout('A red square'), verdicts: [] }));
      await view().send({ kind: 'image', digest: IMAGE.digest, source });
      await view().send({ kind: 'image', digest: IMAGE.digest, source: SOURCE });
      await view().until("document.querySelector('.image img').naturalWidth === 400");
      assert.equal(await turn(1).locator('.image img').getAttribute('src'), SOURCE);
      assert.deepEqual(
        view().strangers.filter((url) => !url.startsWith('data:image/png')),
        [],
      );
    });
  }
});
