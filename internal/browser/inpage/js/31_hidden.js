// Ways to hide a text from people, by what the computed style of one element
// says. What its ancestors and its place say is the walker's.
const hiddenFromEye = element => {
  cache.eye ??= new Map();
  let hidden = cache.eye.get(element);
  if (hidden === undefined) cache.eye.set(element, hidden = false);
  return hidden;
};
