// The visible text of the frame.
const TEXT_LIMIT = 1 << 20;
const text = () => {
  const body = bodyOf(document) ?? documentElement(document);
  lookForCovers();
  const out = {title: clean(titleOf(document)), type: otherType(), text: ''};
  if (body === null) return out;
  const lines = readable(body, TEXT_LIMIT);
  out.text = lines.text;
  if (lines.cut) out.cut = true;
  return out;
};
// What the walk reads, as plain text with a line for each block.
const readable = (element, limit) => {
  let text = '', cut = false, line = '', kept = false;
  const close = (blank = false) => {
    const whole = kept ? seen(line).trimEnd() : squeeze(seen(line));
    line = '';
    if (whole !== '' || blank) text += whole + '\n';
    if (text.length > limit) cut = true;
    kept = false;
  };
  // Line breaks and spaces of preformatted text are kept.
  const add = (data, holder) => {
    if (!loose.test(data) || !keepsSpace(holder)) return void (line += kept ? data.replace(/\s+/g, ' ') : data);
    const [first, ...more] = data.replace(/\r\n?/g, '\n').split('\n');
    if (!kept) line = line.replace(/\s+/g, ' ');
    line += first;
    kept = true;
    for (const next of more) {
      close(true);
      line = next;
      kept = true;
    }
  };
  const visit = (node, depth) => {
    if (cut || depth > NEST_LIMIT) return;
    const tag = localName(node);
    if (silent.has(tag) && isHTML(node)) return;
    if (tag === 'br') return close();
    const display = displayOf(node);
    if (display === 'none' || display === '' || fieldTags.has(tag)) return;
    const block = !/^(inline|contents|ruby)/.test(display), cell = display === 'table-cell';
    if (block && !cell) close();
    const closed = tag === 'details' && !hasAttribute(node, 'open');
    eachChild(node, child => {
      if (nodeType(child) === TEXT) {
        if (closed) return;
        const data = nodeData(child);
        if (data.trim() === '' && !(loose.test(data) && keepsSpace(node))) line += ' ';
        else if (data.trim() === '' || !hiddenText(child, node)) add(data, node);
      } else if (nodeType(child) === ELEMENT && !(closed && !isSummary(child))) {
        visit(child, depth + 1);
      }
    });
    if (cell) line += '\t';
    else if (block) close();
  };
  visit(element, 0);
  close();
  return {text: limited(text.trimEnd(), limit), cut};
};
