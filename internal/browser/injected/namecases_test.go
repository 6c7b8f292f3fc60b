package injected_test

import "strings"

// nameCases returns documents that name elements in many ways, each with all
// elements that can be named so. @ stands for the number of the case.
func nameCases() []string {
	var all []string
	all = append(all, controlsInNames()...)
	all = append(all, hiddenInNames()...)
	all = append(all, boxesInNames()...)
	all = append(all, drawnInNames()...)
	all = append(all, namedElements()...)
	return append(all, namedRoles()...)
}

// nth puts each inner document into each outer one, at the sign ~.
func nth(outers, inners []string) []string {
	var all []string
	for _, outer := range outers {
		for _, inner := range inners {
			all = append(all, strings.ReplaceAll(outer, "~", inner))
		}
	}
	return all
}

// holders take their names from their content, or name another element by it.
var holders = []string{
	`<label><input type=checkbox> Flash ~ times</label>`, `<label for=i@>Flash ~ times</label><input type=radio id=i@>`,
	`<h2>Flash ~ times</h2>`, `<a href="#">Flash ~ times</a>`, `<div role=button tabindex=0>Flash ~ times</div>`,
	`<div role=checkbox tabindex=0>Flash ~ times</div>`, `<button aria-labelledby=l@>x</button><div id=l@>Flash ~ times</div>`,
	`<table><caption>Flash ~ times</caption><tr><td>x</table>`, `<fieldset><legend>Flash ~ times</legend></fieldset>`,
	`<table><tr><th>Flash ~ times</th><td>x</table>`, `<div role=listbox><div role=option>Flash ~ times</div></div>`, `<div role=menuitem tabindex=0>Flash<b>~</b>times</div>`,
	`<label>Flash<span>~</span>times <select><option>x</select></label>`, `<figure><img alt=""><figcaption>Flash ~ times</figcaption></figure>`,
}

func controlsInNames() []string {
	return nth(holders, []string{
		`<input value=30>`, `<input>`, `<input value=30 aria-label=Number>`, `<input aria-label=Number>`, `<input title=Tip value=30>`, `<input placeholder=Hint>`,
		`<input type=number value=30>`, `<input type=range value=30 min=0 max=90>`, `<input type=search value=30>`, `<input type=date value="2024-01-02">`,
		`<input type=checkbox aria-label=Sound checked>`, `<input type=radio title=Tip>`, `<input type=submit value=Go>`, `<input type=button value=Push>`,
		`<input type=reset>`, `<input type=image alt=Picture>`, `<textarea>Text</textarea>`, `<textarea></textarea>`,
		`<select><option>One<option selected>Two</select>`, `<select multiple><option selected>One<option selected>Two<option>Three</select>`,
		`<select aria-label=Number><option>One<option selected>Two</select>`, `<select size=3><option>One<option selected>Two</select>`, `<select></select>`,
		`<button>Push</button>`, `<button aria-label=Label>Push</button>`, `<progress value=3 max=9></progress>`, `<meter value=".4">inner</meter>`, `<output>Out</output>`,
		`<span role=textbox contenteditable>Text</span>`, `<span contenteditable>Text</span>`, `<span role=textbox tabindex=0 aria-label=Number>Text</span>`,
		`<span role=searchbox tabindex=0>Text</span>`, `<span role=spinbutton tabindex=0 aria-valuenow=7>x</span>`,
		`<span role=slider tabindex=0 aria-valuenow=7 aria-valuetext=seven>x</span>`, `<span role=slider tabindex=0>x</span>`,
		`<span role=progressbar aria-valuenow=7>x</span>`, `<span role=meter aria-valuenow=7>x</span>`, `<span role=scrollbar aria-valuenow=7>x</span>`,
		`<span role=combobox tabindex=0>Text</span>`, `<input role=combobox value=Text>`, `<span role=combobox tabindex=0 aria-label=Number>Text</span>`,
		`<span role=combobox tabindex=0><span role=textbox></span><span role=listbox><span role=option aria-selected=true>One</span><span role=option>Two</span></span></span>`,
		`<span role=combobox tabindex=0><input value=Typed></span>`, `<span role=listbox tabindex=0><span role=option aria-selected=true>One</span><span role=option>Two</span></span>`,
		`<span role=listbox aria-multiselectable=true tabindex=0><span role=option aria-selected=true>One</span><span role=option aria-selected=true>Two</span></span>`,
		`<span role=listbox tabindex=0><span role=option>One</span><span role=option>Two</span></span>`, `<span role=button tabindex=0>Push</span>`,
		`<span role=switch tabindex=0 aria-label=On>x</span>`, `<span role=checkbox tabindex=0>x</span>`, `<a href="#">link</a>`, `<a href="#" aria-label=Label>link</a>`,
		`<input disabled value=30>`, `<input readonly value=30>`, `<input type=hidden value=30>`, `<input hidden value=30>`, `<input value="a  b">`,
		`<input type=color value="#ff0000">`, `<input type=file>`, `<input type=email value="a@b.c">`, `<details><summary>Sum</summary>Body</details>`,
		`<img alt=Picture>`, `<img alt="">`, `<img src="photo.jpg">`, `<img title=Tip>`, `<img alt="" title=Tip>`, `<svg><title>Drawing</title></svg>`, `<svg aria-label=Label></svg>`, `<svg><text y=20>Written</text></svg>`,
		`<iframe title=Frame src="about:blank"></iframe>`, `<canvas>fallback</canvas>`, `<video controls>fallback</video>`, `<object>fallback</object>`, `<math><mi>x</mi></math>`,
		`<ul><li>One<li>Two</ul>`, `<ul aria-label=List><li>One</ul>`, `<table><tr><td>One<td>Two</table>`, `<span role=img aria-label=Picture>x</span>`, `<span role=img>x</span>`,
		`<span role=group>One</span>`, `<span role=presentation>One</span>`, `<span role=none aria-label=Label>One</span>`, `<span role=tooltip>One</span>`, `<span role=dialog>One</span>`,
		`<span role=listbox aria-label=Number tabindex=0><span role=option aria-selected=true>One</span></span>`, `<fieldset><legend>Legend</legend>Body</fieldset>`,
		`<fieldset><legend>Legend</legend><input value=30></fieldset>`, `<span role=radiogroup aria-label=Group><span role=radio>One</span></span>`, `<span role=tree><span role=treeitem>One</span></span>`, `<q>Quote</q>`, `<ruby>One<rt>Two</rt></ruby>`,
		`<time>Now</time>`, `<del>Del</del>`, `<ins>Ins</ins>`, `<wbr>`, `<br>`, `<hr>`, `<audio></audio>`, `<map><area href="#" alt=Area></map>`, `<noscript>No</noscript>`, `<script type="text/x">No</script>`, `<template>No</template>`, `<style>no{}</style>`, `<!-- no -->`,
	})
}

// hiddenInNames hides naming text in every way, directly and by an ancestor.
func hiddenInNames() []string {
	ways := []string{`style="display:none"`, `style="visibility:hidden"`, `hidden`, `aria-hidden=true`, `style="visibility:collapse"`, `style="content-visibility:hidden"`, `hidden=until-found`, `inert`, `popover`}
	places := []string{
		`<a href="#">One <span ~>two</span> three</a>`, `<button aria-labelledby=l@>x</button><div id=l@ ~>One two</div>`,
		`<button aria-labelledby=l@>x</button><div id=l@>One <span ~>two</span> three</div>`, `<button aria-labelledby=l@>x</button><div id=l@ ~>One <span ~>two</span> three</div>`,
		`<button aria-labelledby=l@>x</button><div ~>none <span id=l@>One two</span></div>`, `<button aria-labelledby=l@>x</button><div ~>none <span id=l@>One <b>two</b></span></div>`,
		`<label ~ for=i@>One two</label><input id=i@>`, `<label for=i@>One <span ~>two</span> three</label><input id=i@>`, `<h2>One <b ~>two</b></h2>`,
		`<h2 aria-labelledby=l@>x</h2><div id=l@ ~><img alt=Picture> <input value=30> <span aria-label=Label>x</span> <span title=Tip></span></div>`,
		`<button>One <span ~ aria-label=Label>two</span></button>`, `<button>One <img ~ alt=Picture></button>`, `<table><caption ~>One</caption><tr><td>x</table>`,
		`<fieldset><legend ~>One</legend></fieldset>`, `<figure><figcaption ~>One</figcaption></figure>`, `<a href="#"><div ~>One</div><div>two</div></a>`,
		`<button aria-labelledby=l@>x</button><div id=l@ style="display:none">One <span ~>two</span> three</div>`,
		`<button aria-labelledby=l@>x</button><div id=l@ style="visibility:hidden">One <span style="visibility:visible">two</span> three</div>`,
		`<button aria-labelledby=l@>x</button><div id=l@ hidden><p>One</p><p ~>two</p></div>`, `<button ~>One</button>`,
	}
	return nth(places, ways)
}

// boxesInNames separates words by all kinds of boxes.
func boxesInNames() []string {
	displays := []string{`inline`, `block`, `inline-block`, `flex`, `inline-flex`, `grid`, `inline-grid`, `table`, `inline-table`, `table-cell`, `table-row`, `contents`, `flow-root`, `list-item`,
		`inline;float:left`, `inline;position:absolute`, `inline;position:relative`, `inline;white-space:pre`}
	places := []string{
		`<h2>one<span style="display:~">two</span>three</h2>`, `<h2><span style="display:~">one</span><span style="display:~">two</span></h2>`, `<h2>one<i><span style="display:~">two</span></i>three</h2>`,
		`<h2>one<span style="display:~"></span>three</h2>`, `<a href="#"><b style="display:~">one<i>two</i></b>three</a>`, `<button style="display:~">one<span>two</span> <span>three</span></button>`,
		`<h2><span style="display:~"> one </span><span style="display:~">two</span> <span>three</span></h2>`, `<label>one<span style="display:~">two<input></span></label>`,
		`<h2>one<span style="display:~"><span aria-label=two>x</span></span>three</h2>`, `<h2>one<img alt=two style="display:~">three</h2>`, `<h2>one<button style="display:~">two</button>three</h2>`,
	}
	return nth(places, displays)
}

// drawnInNames has generated content in names.
func drawnInNames() []string {
	places := []string{
		`<style>.c@::before{~}</style><h2 class=c@>text</h2><button class=c@>text</button><a href="#" class=c@></a>`, `<style>.c@::after{~}</style><h2 class=c@>text</h2><label class=c@>text<input></label><button class=c@></button>`,
		`<style>.c@::after{~}</style><table><caption class=c@>text</caption><tr><th class=c@>text<td class=c@>text</table><fieldset><legend class=c@>text</legend></fieldset>`,
		`<style>.c@::before{~}</style><button aria-labelledby=l@></button><span id=l@ class=c@>text</span>`, `<style>.c@::before{~}</style><h2>one<span class=c@>two</span>three</h2>`,
		`<style>.c@::before{~}</style><h2>one<span class=c@></span>three</h2>`, `<style>.c@::before{~}</style><button aria-labelledby=l@></button><span id=l@ class=c@ hidden>text</span>`,
		`<style>.c@::before,.c@::after{~}</style><label for=i@ class=c@><input></label><input id=i@>`, `<style>.c@::before{~}</style><button class=c@ title=Tip></button><a href="#" class=c@><img alt=Picture></a>`,
		`<style>.c@::before{~}</style><div role=button tabindex=0 class=c@ aria-label=Label></div><div role=listbox><div role=option class=c@>x</div></div><div role=heading class=c@>x</div>`,
		`<style>.c@::before{~}</style><details><summary class=c@>text</summary></details><ul><li class=c@>text</ul>`,
	}
	return nth(places, []string{
		`content:"one"`, `content:"one "`, `content:"one";display:block`, `content:"one";display:inline-block`, `content:"one";display:none`, `content:"one";visibility:hidden`, `content:"one";position:absolute`, `content:"one";float:right`,
		`content:"one" / "two"`, `content:"one" / ""`, `content:"one";display:flex`, `content:""`, `content:none`, `content:attr(class)`, `content:"a" attr(class) "b"`, `content:attr(missing)`, `content:"\201C"`, `content:open-quote`,
		`content:url(x.png)`, `content:url(x.png) / "two"`, `content:linear-gradient(red,blue) / "two"`, `content:"one" / attr(class)`, `content:"one" / "two" attr(class)`, `content:"say \"one\""`, `content:"one\Atwo"`, `content:"★" / "Star"`, `content:"one" "two"`,
	})
}

// namedElements names each HTML element in each way.
func namedElements() []string {
	ways := []string{``, `aria-label=Label`, `aria-label=" "`, `aria-labelledby=r@`, `aria-labelledby="r@ s@"`, `aria-labelledby=missing`, `aria-labelledby=missing aria-label=Label`, `title=Tip`, `title=" "`, `title=Tip aria-label=Label`, `title=Tip placeholder=Hint`,
		`placeholder=Hint`, `aria-placeholder=Hint`, `alt=Alt`, `alt=""`, `alt="" title=Tip`, `label=Own`, `value=Value`, `summary=Summary`, `id=o@ aria-labelledby="o@ r@"`, `id=o@ aria-label=Label aria-labelledby="o@ r@"`, `id=o@ title=Tip aria-labelledby="r@ o@"`, `aria-description=Desc`, `aria-roledescription=Thing`, `tabindex=0`, `tabindex=0 title=Tip`}
	var elements []string
	for _, tag := range strings.Fields(`a abbr address article aside b bdi blockquote button cite code dd del details dfn dialog div dl dt em fieldset figure footer form h1 h6 header hgroup i ins kbd label legend li main mark menu meter nav ol output p pre progress q s samp search section small span strong sub sup time u ul var`) {
		elements = append(elements, `<`+tag+` ~>Text</`+tag+`>`, `<`+tag+` ~></`+tag+`>`)
	}
	for _, kind := range strings.Fields(`button checkbox color date datetime-local email file hidden image month number password radio range reset search submit tel text time url week`) {
		elements = append(elements, `<input type=`+kind+` ~>`, `<label>Caption <input type=`+kind+` ~></label>`)
	}
	elements = append(elements, `<a href="#" ~>Text</a>`, `<a href="/a/b.html" ~></a>`, `<a href="#" ~><img src="photo.jpg"></a>`, `<button ~><img src="photo.jpg"></button>`, `<img src="photo.jpg" ~>`, `<img ~>`, `<svg ~></svg>`,
		`<svg ~><title>Drawing</title></svg>`, `<svg role=img ~><desc>Desc</desc></svg>`, `<svg width=9 height=9><g role=button tabindex=0 ~><title>Drawing</title></g></svg>`, `<svg width=99 height=99><a href="#" ~><text y=20>Go</text></a></svg>`, `<svg width=99 height=99><circle r=9 ~><title>Drawing</title></circle></svg>`,
		`<select ~><option>One<option>Two</select>`, `<label>Caption <select ~><option>One<option>Two</select></label>`, `<select size=3><option ~>One<optgroup ~><option>Two</optgroup></select>`, `<select><option ~>One</select>`, `<textarea ~></textarea>`, `<textarea ~>Text</textarea>`, `<label>Caption <textarea ~></textarea></label>`,
		`<label>Caption <button ~>Text</button></label>`, `<label>Caption <meter ~></meter></label>`, `<label>Caption <progress ~></progress></label>`, `<label>Caption <output ~>Text</output></label>`, `<fieldset ~><legend>Legend</legend></fieldset>`, `<fieldset ~><div><legend>Legend</legend></div></fieldset>`,
		`<fieldset ~><legend></legend></fieldset>`, `<figure ~><img src="photo.jpg"><figcaption>Figcaption</figcaption></figure>`, `<figure><img ~><figcaption>Figcaption</figcaption></figure>`, `<table ~><tr><td>Text</table>`, `<table ~><caption>Caption</caption><tr><td>Text</table>`, `<table ~><caption></caption><tr><td>Text</table>`,
		`<table><tr ~><td>One<td>Two</table>`, `<table><tr><td ~>Text<th ~>Text</table>`, `<table><tr><th ~ abbr=Short>Text<td>x</table>`, `<table role=grid><tr ~><td ~>Text</table>`, `<table><caption ~>Text</caption><tr><td>x</table>`, `<table><tbody ~><tr><td>x</table>`,
		`<details ~><summary>Sum</summary>Body</details>`, `<details><summary ~>Sum</summary>Body</details>`, `<details open><summary ~></summary>Body</details>`, `<details ~>Body</details>`, `<iframe ~ src="about:blank"></iframe>`, `<iframe ~ name=Named srcdoc="<title>Doc</title>x"></iframe>`, `<object ~>fallback</object>`,
		`<object data="data:image/gif;base64,R0lGODlhAQABAAAAACw=" ~></object>`, `<embed ~ src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">`, `<canvas ~>fallback</canvas>`, `<math ~><mi>x</mi></math>`, `<hr ~>`, `<ul><li ~>Text</ul>`, `<ol ~><li>Text</ol>`, `<dl><dt ~>Term<dd ~>Def</dl>`, `<map name=m@><area href="/a/b.html" shape=rect coords="0,0,9,9" ~></map><img usemap="#m@" alt=Map src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" width=20 height=20>`,
		`<dialog open ~><h2>Title</h2></dialog>`, `<optgroup ~></optgroup>`, `<datalist ~><option>x</datalist>`, `<abbr ~>★★★★☆</abbr>`, `<h2>Rated <abbr ~>★★★★☆</abbr> today</h2>`, `<a href="#">Rated <span ~>★★★★☆</span> today</a>`, `<h2>Rated <span ~></span> today</h2>`, `<a href="#"><i ~></i></a>`, `<button><div ~></div></button>`, `<a href="#">Rated<img ~>today</a>`,
		`<button>Rated<svg ~></svg></button>`, `<h2>See <a href="#" ~>Text</a> now</h2>`, `<h2>See <button ~>Text</button> now</h2>`, `<h2>See <p ~>Text</p></h2>`, `<ul role=listbox><li role=option ~>Text</ul>`, `<a href="#"><ul><li ~>Text</ul></a>`, `<a href="#"><section ~>Text</section></a>`, `<a href="#"><article ~>Text</article></a>`, `<a href="#"><figure ~>Text</figure></a>`, `<label ~>Text <input></label>`, `<label for=i@ ~>Text</label><label for=i@>Second</label><input id=i@>`, `<label ~></label>`,
		`<my-thing ~>Text</my-thing>`, `<label for=i@ ~><img alt=Alt></label><input id=i@>`, `<legend ~>Text</legend>`, `<a ~>Text</a>`, `<div contenteditable ~>Text</div>`, `<span tabindex=0 ~>Text</span>`, `<div tabindex=0 ~><p>Text</p><input value=30></div>`)
	all := nth(elements, ways)
	for i := range all {
		all[i] += `<div id=r@>Ref</div><div id=s@ hidden>Second ref</div>`
	}
	return all
}

// namedRoles names each role in each way.
func namedRoles() []string {
	roles := strings.Fields(`alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox comment
complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid gridcell group heading image img insertion link list listbox listitem log main mark marquee
math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox
sectionheader sectionfooter separator slider spinbutton status strong subscript suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem bogus`)
	return nth([]string{`<div role=~>Text</div>`, `<div role=~ aria-label=Label>Text</div>`, `<div role=~ title=Tip>Text</div>`, `<div role=~ title=Tip></div>`, `<div role=~ tabindex=0>Text</div>`, `<div role=~ aria-labelledby=r@>Text</div><i id=r@>Ref</i>`,
		`<div role=~><p>Text</p><img alt=Picture><button>Push</button></div>`, `<a href="#">One <span role=~>two</span> three</a>`, `<h2>One <span role=~ aria-label=Label>two</span> three</h2>`, `<a href="#">One <span role=~ title=Tip>two</span> three</a>`, `<button aria-labelledby=r@></button><div id=r@ role=~>Text</div>`, `<label>One <span role=~>two</span><input></label>`,
		`<label for=i@>x<span role=~>Text</span></label><input id=i@ type=checkbox>`, `<div role=~><div>One</div><div>two</div></div>`, `<img role=~ alt=Alt>`, `<ul role=~><li>Text</ul>`, `<button role=~>Text</button>`, `<input role=~ value=30 title=Tip>`, `<div role=listbox><div role=option>One<span role=~ tabindex=0>two</span></div></div>`}, roles)
}
