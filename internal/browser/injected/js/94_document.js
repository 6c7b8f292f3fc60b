// A document that is no page of HTML: an image, JSON, XML or plain text, for
// which the browser makes a page of its own.
const naturalWidth = getter(HTMLImageElement.prototype, 'naturalWidth');
const naturalHeight = getter(HTMLImageElement.prototype, 'naturalHeight');
const otherType = () => {
  const type = contentTypeOf(document);
  return type === 'text/html' || type === 'application/xhtml+xml' ? undefined : type;
};
// The text that is seen of it, with its lines, or the size of the image.
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
