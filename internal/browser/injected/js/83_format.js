// Fields with a value format of their own, such as dates. People pick their
// values, and keys change only parts. The whole value is assigned at once, and
// the events of a change are sent.
const formats = {
  date: 'a date such as 2026-02-28', time: 'a time such as 13:05', month: 'a month such as 2026-02', week: 'a week such as 2026-W09',
  'datetime-local': 'a date and time such as 2026-02-28T13:05', color: 'a colour such as #1a2b3c', range: 'a number',
};
const hasFormat = element => element instanceof HTMLInputElement && Object.hasOwn(formats, inputType(element));
const takesFormat = element => hasFormat(element) && !disabledOf(element) && (/^(range|color)$/.test(inputType(element)) || !hasAttribute(element, 'readonly'));

const assign = ({node, value}) => {
  const element = elementOf(node);
  if (element === null) return {gone: true};
  if (!takesFormat(element)) return {error: 'not editable'};
  const before = inputValue(element);
  writeInput(element, value);
  const now = inputValue(element);
  if (!isTaken(inputType(element), value, now)) {
    writeInput(element, before);
    return {error: 'format', takes: takes(element)};
  }
  if (now !== before) announce(element, 'input', 'change');
  return {ok: true};
};
// The browser replaces a value that the field cannot hold.
const isTaken = (type, value, now) => {
  if (type === 'range') return value.trim() !== '' && Number(value) === Number(now);
  if (type === 'color') return value.toLowerCase() === now;
  return (value === '') === (now === '');
};
const takes = element => {
  const type = inputType(element);
  if (type !== 'range') return formats[type];
  const at = name => clean(attribute(element, name) ?? '', 40);
  return 'a number from ' + (at('min') || '0') + ' to ' + (at('max') || '100') + ' in steps of ' + (at('step') || '1');
};
