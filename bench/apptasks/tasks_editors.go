package apptasks

import "github.com/gloveboxhq/glovebox/bench/installed"

func tiddlyWiki() Application {
	return Application{
		Name: "tiddlywiki", Host: "wiki.test", Software: "TiddlyWiki", Fast: true, Needs: []string{"node", "npm"}, Start: starts(installed.TiddlyWiki),
		Tasks: []Task{
			{Wish: "write a note Hedge that says Cut it in June", Needless: 1, Changes: []string{`+ Hedge \[\] "Cut it in June\."`}, Do: func(a *Agent) {
				a.Open("/")
				a.Click("button", "new tiddler")
				a.Look()
				a.TypeInto(a.Ref("Draft of", "textbox"), "Hedge")
				a.Type("textbox", "Type the text for this tiddler", "Cut it in June.")
				a.Click("button", "Confirm changes to this tiddler")
				a.Wait("Cut it in June.")
			}},
			{Wish: "give the note Seeds the tag spring", Needless: 1, Changes: []string{`- Seeds \[garden\].*`, `+ Seeds \[garden spring\].*`}, Do: func(a *Agent) {
				a.Open("/#Seeds")
				a.Look()
				a.ClickOn(a.Ref(`"Edit this tiddler"`))
				a.Type("textbox", "tag name", "spring")
				a.Look()
				a.ClickOn(a.Ref("tag name", `button "add"`))
				a.Look()
				a.ClickOn(a.Ref(`"Confirm changes to this tiddler"`))
			}},
			{Wish: "find the note that says when to plant", Do: func(a *Agent) {
				a.Open("/")
				a.Look()
				a.TypeInto(a.Ref("searchbox"), "plant")
				a.Wait("Calendar")
				a.Click("link", "Calendar")
				a.Wait("April: plant.")
			}},
			{Wish: "add seeds to the shopping list", Needless: 1, Changes: []string{`- Shopping .*`, `+ Shopping \[home\] "\* bread\\n\* salt\\n\* seeds.*"`}, Do: func(a *Agent) {
				a.Open("/#Shopping")
				a.Look()
				a.ClickOn(a.Ref(`"Edit this tiddler"`))
				a.Type("textbox", "Type the text for this tiddler", "* bread\n* salt\n* seeds\n")
				a.Look()
				a.ClickOn(a.Ref(`"Confirm changes to this tiddler"`))
			}},
			{Wish: "delete the note Old list", Asks: 1, Changes: []string{`- Old list .*`}, Do: func(a *Agent) {
				a.Open("/#Old%20list")
				a.Look()
				a.ClickOn(a.Ref(`"Edit this tiddler"`))
				a.Look()
				a.ClickOn(a.Ref(`"Delete this tiddler"`))
				a.Call("browser_handle_dialog", object{"accept": true})
			}},
		},
	}
}

func excalidraw() Application {
	return Application{
		Name: "excalidraw", Host: "draw.test", Software: "Excalidraw", Fast: true, Needs: []string{"node", "npm"}, Start: starts(installed.Excalidraw),
		Tasks: []Task{
			{Wish: "draw a rectangle", Changes: []string{`+ rectangle "" #1e1e1e 200x150`}, Do: func(a *Agent) {
				a.Open("/")
				a.Click("radio", "Rectangle")
				a.Call("browser_drag", object{"startX": 500, "startY": 300, "endX": 700, "endY": 450})
				a.Key("Escape")
			}},
			{Wish: "write Garden plan above it", Changes: []string{`+ text "Garden plan" .*`}, Do: func(a *Agent) {
				a.Click("radio", "Text")
				a.Call("browser_click", object{"x": 520, "y": 200})
				a.Look()
				a.Call("browser_type", object{"target": a.Ref("textbox"), "text": "Garden plan"})
				a.Key("Escape")
			}},
			{Wish: "make the rectangle red", Changes: []string{`- rectangle .*`, `+ rectangle "" #e03131 200x150`}, Do: func(a *Agent) {
				a.Click("radio", "Selection")
				a.Call("browser_click", object{"x": 500, "y": 375})
				a.Look()
				a.ClickOn(a.Ref(`"#e03131"`))
			}},
			{Wish: "draw an arrow and take it back", Needless: 1, Do: func(a *Agent) {
				a.Key("Escape")
				a.Click("radio", "Arrow")
				a.Call("browser_drag", object{"startX": 750, "startY": 300, "endX": 900, "endY": 400})
				a.Click("button", "Undo")
			}},
			{Wish: "delete the text", Asks: 1, Changes: []string{`- text .*`}, Do: func(a *Agent) {
				a.Click("radio", "Selection")
				a.Call("browser_click", object{"x": 540, "y": 212})
				a.Key("Delete")
			}},
		},
	}
}

func etherpad() Application {
	return Application{
		Name: "etherpad", Host: "pad.test", Software: "Etherpad", Needs: []string{"node", "npm"}, Start: starts(installed.Etherpad),
		Tasks: []Task{
			{Wish: "tell who brings cake", Do: func(a *Agent) {
				a.Open("/p/minutes")
				a.Wait("Ben brings cake")
				a.Look()
				a.Sees("Ben brings cake")
			}},
			{Wish: "add to the minutes that Cara brings tea", Changes: []string{`+ minutes 4 Cara brings tea`}, Do: func(a *Agent) {
				a.Open("/p/minutes")
				a.Wait("Ben brings cake")
				a.Look()
				field := a.Ref(`iframe "pad"`, "textbox")
				a.Call("browser_press_key", object{"key": "Control+End", "target": field})
				a.Call("browser_type", object{"target": field, "text": "Cara brings tea"})
			}},
			{Wish: "start a pad called plan", Changes: []string{`+ plan 1 .*`}, Do: func(a *Agent) {
				a.Open("/")
				a.Look()
				a.TypeInto(a.Ref("textbox"), "plan")
				a.Click("button", "OK")
				a.Wait("Welcome")
			}},
			{Wish: "make the word Budget bold", Do: func(a *Agent) {
				a.Open("/p/budget")
				a.Wait("Tools 60")
				a.Look()
				field := a.Ref(`iframe "pad"`, "textbox")
				a.Call("browser_press_key", object{"key": "Control+Home", "target": field})
				a.Call("browser_press_key", object{"key": "Shift+End", "target": field})
				a.Click("button", "Bold (Ctrl+B)")
			}},
			{Wish: "take the tools out of the budget", Changes: []string{`- budget 3 Tools 60`}, Do: func(a *Agent) {
				a.Open("/p/budget")
				a.Wait("Tools 60")
				a.Look()
				field := a.Ref(`iframe "pad"`, "textbox")
				a.Call("browser_press_key", object{"key": "Control+End", "target": field})
				for range len("Tools 60") + 2 {
					a.Call("browser_press_key", object{"key": "Backspace", "target": field})
				}
			}},
		},
	}
}
