// Text that leaves the script: of limited length, on one line, without
// characters that are invisible (zero width, bidirectional overrides, tags,
// variation selectors) or that stand for icons (private use).
const NAME_LIMIT = 1024, VALUE_LIMIT = 4096, URL_LIMIT = 2048;
const unseen = /[\u0000-\u0008\u000E-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u3164\uE000-\uF8FF\uFE00-\uFE0E\uFEFF\uFFA0\uFFF0-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}\u{F0000}-\u{FFFFD}\u{100000}-\u{10FFFD}]/gu;
// Joiners have a meaning between letters of some scripts and in emoji only.
const joiner = /(?<![\p{Extended_Pictographic}\u{1F3FB}-\u{1F3FF}\uFE0F\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Khmer}\p{Script=Mongolian}])[\u200C\u200D]+|[\u200C\u200D]{2,}/gu;
const suspicious = /[^\x20-\x7E\u00A0-\u00AC\u00AE-\u02FF\u0370-\u0589\u3040-\u30FF\u4E00-\u9FFF\uAC00-\uD7A3]/;

const limited = (text, limit) => {
  if (text.length <= limit) return text;
  const end = (text.charCodeAt(limit - 1) & 0xFC00) === 0xD800 ? limit - 1 : limit;
  return text.slice(0, end) + '…';
};
const seen = text => suspicious.test(text) ? text.replace(unseen, '').replace(joiner, '') : text;
const loose = /^\s|\s\s|\s$|[^\S ]/;
const squeeze = text => loose.test(text) ? text.replace(/\s+/g, ' ').trim() : text;
const clean = (text, limit = NAME_LIMIT) => limited(squeeze(seen(limited(text, limit * 8))), limit);
// For the value of a field and for preformatted text: line breaks are kept.
const cleanLines = (text, limit) => limited(seen(limited(text, limit * 8).replace(/\r\n?/g, '\n')).trimEnd(), limit);
const folded = text => squeeze(seen(text)).toLowerCase();

// Parameters of an address that look like credentials are masked.
const secretParam = /(^|[_\-.])\w*(token|secret|password|passwd|pwd|signature|otp|jwt|credential|sessionid|assertion|samlresponse|api[_-]?key|access[_-]?key)$/i;
const doubtfulParam = /^(key|code|hash|nonce|ticket|sid|sig|auth|session|state|oob_?code|ott?)$/i;
const secretValue = /^(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z])[\w\-.~+/=]{24,}$|^eyJ[\w-]{8,}|^[0-9a-fA-F]{32,}$/;
const isSecretParam = (key, value) => value !== '' &&
  (secretParam.test(key) || (doubtfulParam.test(key) && value.length >= 8) || secretValue.test(value));
const maskPairs = text => text.replace(/([^&;=?#]+)=([^&;#]*)/g, (all, key, value) =>
  isSecretParam(decoded(key), decoded(value)) ? key + '=(masked)' : all);
const decoded = text => {
  try { return decodeURIComponent(text); } catch { return text; }
};
const shownURL = text => {
  let url;
  try { url = new URL(text); } catch { return ''; }
  if (url.protocol === 'javascript:') return 'javascript:';
  if (url.protocol === 'data:' || url.protocol === 'blob:') return url.protocol;
  if (url.password !== '' || url.username !== '') url.username = url.password = '';
  const cut = url.href.search(/[?#]/);
  const path = (cut < 0 ? url.href : url.href.slice(0, cut)).split('/')
    .map((part, at) => at > 2 && secretValue.test(decoded(part)) ? '(masked)' : part).join('/');
  return limited(path + (cut < 0 ? '' : maskPairs(url.href.slice(cut))), URL_LIMIT);
};
