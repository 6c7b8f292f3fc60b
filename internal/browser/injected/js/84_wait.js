// Waits until all of the given conditions hold.
const waitFor = async query => {
  let found = false;
  const {wait = 0} = query;
  const locates = query.node || query.selector || query.role || query.text;
  try {
    await until(() => found = holds(query, locates), wait);
  } catch (error) {
    if (error instanceof InvalidSelector) return {error: 'invalid_selector', message: error.message, found: false};
    throw error;
  }
  return {found};
};
const holds = (query, locates) => {
  if (query.url && !location.href.includes(query.url)) return false;
  if (query.textGone && byText(query.textGone).some(visible)) return false;
  if (!locates) return true;
  const elements = candidatesFor(query);
  const asked = query.index === undefined || query.index === null ? elements : elements.slice(query.index, query.index + 1);
  switch (query.state) {
    case 'detached': return asked.length === 0;
    case 'hidden': return !asked.some(visible);
    case 'visible': return asked.some(visible);
  }
  return asked.length > 0;
};
