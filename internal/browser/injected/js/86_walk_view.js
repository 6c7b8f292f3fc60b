// The walk of the visible part of the page. A scroll container inside the page
// shows only its own visible part. An ancestor of an element in view is
// included even if it is not in view itself.
const wholeView = () => ({left: 0, top: 0, right: innerWidth, bottom: innerHeight});
const inSight = (a, b) => a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
const common = (a, b) => ({left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom)});
// The part of a view that remains inside an element.
const viewIn = (element, view) => {
  const tag = tagOf(element), style = styleOf(element);
  if (tag === 'html' || tag === 'body') return view; // these scroll the page
  if (style.position === 'fixed') view = wholeView();
  return style.overflowX === 'visible' && style.overflowY === 'visible' || style.display === 'contents' ? view : common(view, rectOf(element));
};

class Viewer extends Walker {
  constructor(options) {
    super(options);
    this.view = wholeView();
    this.outside = 0;
  }
  element(element, sink, at) {
    const around = this.view;
    this.view = viewIn(element, around);
    super.element(element, sink, at);
    this.view = around;
  }
  text(node, element, at) {
    if (nodeData(node).trim() === '' || at.mute || inSight(aroundLines(linesOf(node)), this.view)) return super.text(node, element, at);
    this.visited++;
    if (!hiddenText(node, element)) this.outside++;
  }
  node(element, role, name, shown, sink, at) {
    super.node(element, role, name, shown, sink, at);
    this.judge(element, role, sink);
  }
  field(element, role, sink) {
    super.field(element, role, sink);
    this.judge(element, role, sink);
  }
  frame(element, sink) {
    super.frame(element, sink);
    this.judge(element, 'iframe', sink);
  }
  // Removes an element that is not in view and contains nothing that is.
  judge(element, role, sink) {
    const last = sink[sink.length - 1];
    if (last === undefined || last.r !== role || last.c !== undefined && role !== 'combobox' && role !== 'listbox' || inSight(boxOf(drawnAs(element)), this.view)) return;
    sink.pop();
    this.outside++;
  }
}
