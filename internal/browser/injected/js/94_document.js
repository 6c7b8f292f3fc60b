// A document that is not HTML: an image, JSON, XML or plain text. The browser
// makes a page to show it.
const naturalWidth = getter(HTMLImageElement.prototype, 'naturalWidth');
const naturalHeight = getter(HTMLImageElement.prototype, 'naturalHeight');
const otherType = () => {
  const type = contentTypeOf(document);
  return type === 'text/html' || type === 'application/xhtml+xml' ? undefined : type;
};
// The visible text of such a document with its lines, or the size of its image.
const drawnDocument = () => {
  const out = {type: contentTypeOf(document), text: '', width: 0, height: 0}, body = bodyOf(document);
  if (body === null) return out;
  const image = oneInElement(body, 'img'), pre = oneInElement(body, 'pre');
  if (image !== null) {
    out.width = naturalWidth(image);
    out.height = naturalHeight(image);
  }
  lookForCovers();
  const lines = readable(pre ?? body, TEXT_LIMIT);
  out.text = lines.text;
  out.cut = lines.cut;
  return out;
};
