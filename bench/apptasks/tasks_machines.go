package apptasks

import "github.com/gloveboxhq/glovebox/bench/installed"

func syncthing() Application {
	const somebody = "P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2" // an example of its documentation
	return Application{
		Name: "syncthing", Host: "files.test", Software: "Syncthing", Needs: []string{"syncthing"}, Start: starts(installed.Syncthing),
		Tasks: []Task{
			{Wish: "tell which folders there are", Do: func(a *Agent) {
				a.Open("/")
				a.Wait("photos")
				a.Look()
				a.Sees("letters", "old", "photos")
			}},
			{Wish: "pause the folder photos", Changes: []string{`- .folders .*"paused":false.*`, `+ .folders .*"label":"photos".*"paused":true.*`}, Do: func(a *Agent) {
				a.Open("/")
				a.Wait("photos")
				a.Look()
				a.ClickOn(a.Ref(`photos"`))
				a.Look()
				a.ClickOn(a.Ref(`photos"`, `button "Pause"`))
				a.Wait("Paused")
			}},
			{Wish: "call this device study", Changes: []string{`- .devices .*`, `+ .devices .*"name":"study".*`}, Do: func(a *Agent) {
				a.Open("/")
				a.Wait("photos")
				a.Click("link", "Actions")
				a.Click("link", "Settings")
				a.Wait("Device Name")
				a.Type("textbox", "Device Name", "study")
				a.Click("button", "Save")
			}},
			{Wish: "add a friend's device", Asks: 1, Needless: 1, Changes: []string{`+ .devices .*` + somebody + `.*`}, Do: func(a *Agent) {
				a.Open("/")
				a.Wait("photos")
				a.Click("button", "Add Remote Device")
				a.Look()
				a.Type("combobox", "Device ID", somebody)
				for range 3 {
					if _, err := a.Try("browser_click", object{"role": "button", "name": "Save"}); err == nil {
						return
					}
					a.Call("browser_press_key", object{"role": "combobox", "name": "Device ID", "key": "Backspace"}) // the server judges each key, and an answer to an earlier one came last
					a.Key("2")
				}
				a.Click("button", "Save")
			}},
			{Wish: "tell what version it is", Do: func(a *Agent) {
				a.Open("/")
				a.Wait("photos")
				a.Look()
				a.Sees("Version")
			}},
		},
	}
}

func nodeRED() Application {
	return Application{
		Name: "node-red", Host: "flows.test", Software: "Node-RED", Needs: []string{"node", "npm"}, Start: starts(installed.NodeRED),
		Tasks: []Task{
			{Wish: "turn the lights on once", Changes: []string{`+ on`}, Do: func(a *Agent) {
				a.Open("/")
				a.Wait("Lights on")
				a.Look()
				a.ClickOn(a.above(`text "Lights on"`, "button-button"))
			}},
			{Wish: "call the flow Old flow Attic", Asks: 1, Changes: []string{`- .*Old flow.*`, `+ .*Attic.*`, `- .*"Write".*`, `+ .*"Write".*`}, Do: func(a *Agent) {
				a.Open("/")
				a.Wait("Old flow")
				a.Look()
				a.Call("browser_click", object{"target": a.Ref(`link "Old flow"`), "doubleClick": true})
				a.Wait("Edit flow")
				a.Type("textbox", "Name", "Attic")
				a.Click("button", "Done")
				a.Click("link", "Deploy")
			}},
			{Wish: "tell which kinds of nodes read files", Do: func(a *Agent) {
				a.Open("/")
				a.Wait("Lights on")
				a.Type("textbox", "filter nodes", "file")
				a.Look()
				a.Sees("read file", "write file")
			}},
			{Wish: "tell whether the node Write appends a new line", Do: func(a *Agent) {
				a.Open("/")
				a.Wait("Lights on")
				a.Look()
				a.Call("browser_click", object{"target": a.above(`text "Write"`, "flow-node"), "doubleClick": true})
				a.Wait("Edit write file node")
				a.Look()
				a.Sees("Add newline", "checked")
				a.Click("button", "Cancel")
			}},
			{Wish: "tell what the flow Night lights writes", Do: func(a *Agent) {
				a.Open("/")
				a.Wait("Lights on")
				a.Type("textbox", "Search flows", "Write")
				a.Look()
				a.Sees("Write")
			}},
		},
	}
}

func verdaccio() Application {
	open := func(a *Agent) {
		a.Open("/")
		a.Wait("share-price")
	}
	return Application{
		Name: "verdaccio", Host: "packages.test", Software: "Verdaccio", Needs: []string{"node", "npm"}, Start: starts(installed.Verdaccio),
		Tasks: []Task{
			{Wish: "tell what share-price depends on", Do: func(a *Agent) {
				open(a)
				a.Click("link", "share-price")
				a.Click("tab", "Dependencies")
				a.Look()
				a.Sees("release-notes")
			}},
			{Wish: "find the package about deleting", Do: func(a *Agent) {
				open(a)
				a.Type("combobox", "Search Packages", "delete")
				a.Wait("How to delete-files")
			}},
			{Wish: "tell when release-notes 1.2.0 was published", Do: func(a *Agent) {
				open(a)
				a.Click("link", "release-notes")
				a.Click("tab", "Versions")
				a.Look()
				a.Sees("1.2.0")
			}},
			{Wish: "download the file of share-price", Do: func(a *Agent) {
				open(a)
				a.Look()
				a.ClickOn(a.Ref(`link "share-price"`, `"Download"`))
				a.Call("browser_downloads", object{"action": "list"})
				a.Sees("share-price-1.2.0.tgz")
			}},
			{Wish: "read how to install delete-files", Do: func(a *Agent) {
				open(a)
				a.Click("link", "delete-files")
				a.Look()
				a.Sees("npm install delete-files")
			}},
		},
	}
}
