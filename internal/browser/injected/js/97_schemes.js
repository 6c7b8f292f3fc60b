// A link may lead to another program of the machine, as mailto: and tel: do. The box
// has no such programs, and the browser would replace the page by an error page.
// Navigations of a document to schemes that the browser does not open itself are
// therefore cancelled.
const keepPage = schemes => {
  self.navigation?.addEventListener('navigate', event => {
    const {url} = event.destination;
    if (event.cancelable && !schemes.includes(url.slice(0, url.indexOf(':')))) event.preventDefault();
  });
  return null;
};
