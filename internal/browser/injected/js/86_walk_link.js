// Where links lead, and the address of the document.
const anchorHref = getter(HTMLAnchorElement.prototype, 'href');
const harmless = /^https?:\/\/[\w.:-]+(\/[^/?#@]{0,23})*$/;
const linkOf = element => {
  if (element instanceof HTMLAnchorElement) {
    const href = anchorHref(element);
    if (href.length < 500 && harmless.test(href)) return href;
  }
  const href = attribute(element, 'href') ?? attribute(element, 'xlink:href');
  if (href === null) return undefined;
  const url = URL.parse(href, baseOf(document));
  return url === null ? undefined : shownURL(url.href);
};

// The masked address of this document, cached because it seldom changes.
let here = {href: '', shown: ''};
const shownHere = () => {
  const {href} = location;
  if (here.href !== href) here = {href, shown: shownURL(href)};
  return here.shown;
};
