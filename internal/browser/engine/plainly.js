function (value, limit) {
  const open = [];
  let left = limit, cut = false;
  const quoted = text => {
    if (text.length > left) {
      text = text.slice(0, Math.max(0, left));
      cut = true;
    }
    left -= text.length + 2;
    return JSON.stringify(text.toWellFormed());
  };
  const node = n => {
    if (n.nodeType !== 1) return quoted('[node ' + n.nodeName + ']');
    return quoted('[element ' + n.localName + (n.id ? '#' + n.id : '') + [...n.classList].map(c => '.' + c).join('') + ']');
  };
  const special = (v, tag) => {
    if (v instanceof Node) return node(v);
    if (v === globalThis) return quoted('[window]');
    switch (tag) {
      case '[object Date]': return isNaN(v) ? quoted('[invalid date]') : quoted(v.toISOString());
      case '[object RegExp]': return quoted(String(v));
      case '[object Promise]': return quoted('[promise]');
      case '[object WeakMap]': case '[object WeakSet]': case '[object WeakRef]': return quoted(tag);
      case '[object Map]': return list([...v], v);
      case '[object Set]': return list([...v], v);
      case '[object ArrayBuffer]': return list(new Uint8Array(v), v);
      case '[object Number]': case '[object String]': case '[object Boolean]': case '[object BigInt]': return any(v.valueOf());
    }
    if (v instanceof Error) return quoted(v.stack || String(v));
    if (v instanceof URL || v instanceof URLSearchParams) return quoted(String(v));
    if (v instanceof NodeList || v instanceof HTMLCollection || v instanceof DOMTokenList) return list(v, v);
    if (ArrayBuffer.isView(v)) return list(v instanceof DataView ? new Uint8Array(v.buffer, v.byteOffset, v.byteLength) : v, v);
    return Array.isArray(v) ? list(v, v) : null;
  };
  const within = (v, write) => {
    if (open.includes(v)) return quoted('[circular]');
    if (open.length >= 100) return quoted('[deeper]');
    open.push(v);
    try { return write(); } finally { open.pop(); }
  };
  const list = (items, owner) => within(owner, () => {
    const out = [];
    for (let i = 0; i < items.length; i++) {
      if (left <= 0) {
        cut = true;
        break;
      }
      left -= 1;
      out.push(any(items[i]) ?? 'null');
    }
    return '[' + out.join(',') + ']';
  });
  const object = v => within(v, () => {
    const out = [];
    for (const key of Object.keys(v)) {
      if (left <= 0) {
        cut = true;
        break;
      }
      let text;
      try { text = any(v[key]); } catch (error) { text = quoted('[threw ' + error + ']'); }
      if (text !== undefined) out.push(quoted(key) + ':' + text);
    }
    return '{' + out.join(',') + '}';
  });
  const any = v => {
    switch (typeof v) {
      case 'undefined': return undefined;
      case 'string': return quoted(v);
      case 'boolean': left -= 5; return String(v);
      case 'number': left -= 8; return Object.is(v, -0) ? '"-0"' : Number.isFinite(v) ? String(v) : quoted(String(v));
      case 'bigint': return quoted(String(v));
      case 'symbol': return quoted(String(v));
      case 'function': return quoted('[function' + (typeof v.name === 'string' && v.name !== '' ? ' ' + v.name : '') + ']');
    }
    if (v === null) return 'null';
    const known = special(v, Object.prototype.toString.call(v));
    if (known !== null) return known;
    return typeof v.toJSON === 'function' ? within(v, () => any(v.toJSON())) : object(v);
  };
  const text = any(value) ?? 'null';
  return (cut ? '-' : '+') + text;
}
