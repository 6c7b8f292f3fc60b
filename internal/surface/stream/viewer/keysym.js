// Key symbols of X11 (keysymdef.h) for the keys of a browser's keyboard events.

// By the event's key, and by its location where two keys have the same name: the
// left or only one, the right one, the one of the number pad.
const named = {
  Backspace: [0xff08], Tab: [0xff09], Clear: [0xff0b], Enter: [0xff0d, 0xff0d, 0xff8d], Pause: [0xff13], ScrollLock: [0xff14],
  Escape: [0xff1b], Delete: [0xffff, 0xffff, 0xff9f], Home: [0xff50, 0xff50, 0xff95], ArrowLeft: [0xff51, 0xff51, 0xff96],
  ArrowUp: [0xff52, 0xff52, 0xff97], ArrowRight: [0xff53, 0xff53, 0xff98], ArrowDown: [0xff54, 0xff54, 0xff99],
  PageUp: [0xff55, 0xff55, 0xff9a], PageDown: [0xff56, 0xff56, 0xff9b], End: [0xff57, 0xff57, 0xff9c],
  Select: [0xff60], PrintScreen: [0xff61], Execute: [0xff62], Insert: [0xff63, 0xff63, 0xff9e], Undo: [0xff65], Redo: [0xff66],
  ContextMenu: [0xff67], Find: [0xff68], Cancel: [0xff69], Help: [0xff6a], ModeChange: [0xff7e], NumLock: [0xff7f],
  Shift: [0xffe1, 0xffe2], Control: [0xffe3, 0xffe4], CapsLock: [0xffe5], Alt: [0xffe9, 0xffea], Meta: [0xffeb, 0xffec],
  OS: [0xffeb, 0xffec], Super: [0xffeb, 0xffec], Hyper: [0xffed, 0xffee],
  Convert: [0xff23], NonConvert: [0xff22], KanaMode: [0xff2d], KanjiMode: [0xff21], Hiragana: [0xff25], Katakana: [0xff26],
  HiraganaKatakana: [0xff27], Romaji: [0xff24], Zenkaku: [0xff28], Hankaku: [0xff29], ZenkakuHankaku: [0xff2a],
  Eisu: [0xff2f], HangulMode: [0xff31], HanjaMode: [0xff34], JunjaMode: [0xff38], CodeInput: [0xff37],
  BrowserBack: [0x1008ff26], BrowserForward: [0x1008ff27], BrowserRefresh: [0x1008ff29], BrowserStop: [0x1008ff28],
  BrowserHome: [0x1008ff18], BrowserSearch: [0x1008ff1b], BrowserFavorites: [0x1008ff30],
  AudioVolumeMute: [0x1008ff12], AudioVolumeDown: [0x1008ff11], AudioVolumeUp: [0x1008ff13],
  MediaPlayPause: [0x1008ff14], MediaStop: [0x1008ff15], MediaTrackPrevious: [0x1008ff16], MediaTrackNext: [0x1008ff17],
  Copy: [0x1008ff57], Cut: [0x1008ff58], Paste: [0x1008ff6d], Open: [0xff6b],
};

// Keys of the number pad that write a character.
const numberPad = {
  "*": 0xffaa, "+": 0xffab, ",": 0xffac, "-": 0xffad, ".": 0xffae, "/": 0xffaf, "=": 0xffbd,
  0: 0xffb0, 1: 0xffb1, 2: 0xffb2, 3: 0xffb3, 4: 0xffb4, 5: 0xffb5, 6: 0xffb6, 7: 0xffb7, 8: 0xffb8, 9: 0xffb9,
};

const rightSide = 1;
const pad = 2;

// characterKeysym returns the key symbol of a character.
export function characterKeysym(character) {
  const point = character.codePointAt(0);
  if ((point >= 0x20 && point <= 0x7e) || (point >= 0xa0 && point <= 0xff)) return point;
  return 0x01000000 + point;
}

// keysymOf returns the key symbol of a keyboard event, or 0 if it has none: the
// event belongs to an input method, or the key is unknown.
export function keysymOf(event) {
  const { key, location } = event;
  if (event.isComposing || key === "Dead" || key === "Process" || key === "Unidentified" || key === "AltGraph") return 0;
  const place = location === 2 ? rightSide : location === 3 ? pad : 0;
  if (place === pad && key in numberPad) return numberPad[key];
  if (Object.hasOwn(named, key)) return named[key][place] ?? named[key][0];
  const f = /^F([1-9]|[12][0-9]|3[0-5])$/.exec(key);
  if (f) return 0xffbd + Number(f[1]);
  return [...key].length === 1 ? characterKeysym(key) : 0;
}

export const keysyms = { backspace: 0xff08, enter: 0xff0d, control: [0xffe3, 0xffe4], alt: [0xffe9, 0xffea], shift: [0xffe1, 0xffe2], meta: [0xffeb, 0xffec] };
