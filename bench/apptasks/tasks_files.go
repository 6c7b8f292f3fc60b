package apptasks

import "github.com/gloveboxhq/glovebox/bench/installed"

func jupyter() Application {
	return Application{
		Name: "jupyter", Host: "books.test", Software: "Jupyter Notebook", Needs: []string{"/usr/lib/python3/dist-packages/notebook"}, Start: starts(installed.Jupyter),
		Tasks: []Task{
			{Wish: "upload a file and rename it to june.csv", Changes: []string{`+ june.csv 1 day,sales`, `+ june.csv 2 1,9`}, Do: func(a *Agent) {
				a.Open("/tree")
				a.Call("browser_file_upload", object{"role": "button", "name": "Choose File", "files": []object{{"name": "new.csv", "text": "day,sales\n1,9\n"}}})
				a.Look()
				a.ClickOn(a.Ref(`button "Upload"`))
				a.Wait("new.csv")
				a.Call("browser_navigate", object{"url": a.In("/tree")})
				a.ClickOn(a.above(`link "new.csv"`, "checkbox"))
				a.Click("button", "Rename selected")
				a.Look()
				a.TypeInto(a.Ref("Enter a new file name", "textbox"), "june.csv")
				a.Click("button", "Rename")
				a.Wait("june.csv")
			}},
			{Wish: "run the notebook sums and tell the sum", Changes: []string{`- sums.ipynb 2 code "sum\(numbers\)"`, `+ sums.ipynb 2 code "sum\(numbers\)" -> "\[27\]"`}, Do: func(a *Agent) {
				a.Open("/notebooks/sums.ipynb")
				a.Wait("Python 3")
				a.Click("link", "Cell")
				a.Look()
				a.ClickOn(a.Ref(`menuitem "Run All"`))
				a.Wait("27")
				a.Click("button", "Save and Checkpoint")
			}},
			{Wish: "write in the report that June brought 20", Asks: 1, Changes: []string{`+ report.txt 2 June brought 20\.`}, Do: func(a *Agent) {
				a.Open("/edit/report.txt")
				a.Wait("Sales were 12")
				a.Look()
				a.TypeInto(a.Ref("textbox", "multiline"), "Sales were 12 in May.\nJune brought 20.\n")
				a.Key("Control+s")
			}},
			{Wish: "download the sales of May and read them", Do: func(a *Agent) {
				a.Open("/tree/data")
				a.ClickOn(a.above(`link "may.csv"`, "checkbox"))
				a.Click("button", "Download selected")
				a.Call("browser_downloads", object{"action": "list"})
			}},
			{Wish: "delete old.csv", Asks: 1, Changes: []string{`- old.csv .*`, `- old.csv .*`}, Do: func(a *Agent) {
				a.Open("/tree")
				a.ClickOn(a.above(`link "old.csv"`, "checkbox"))
				a.Click("button", "Delete selected")
				a.Look()
				a.ClickOn(a.Ref("dialog", `button "Delete"`))
			}},
		},
	}
}

func roundcube() Application {
	return Application{
		Name: "roundcube", Host: "post.test", Software: "Roundcube", Needs: []string{"php", "dovecot", "/usr/share/roundcube"}, Start: starts(installed.Roundcube),
		SignIn: func(a *Agent) {
			a.Open("/")
			a.Type("textbox", "Username", installed.Owner)
			a.Call("browser_type", object{"target": "[type=password]", "text": password})
			a.Click("button", "Login")
			a.Wait("Photos of the boat")
		},
		Tasks: []Task{
			{Wish: "tell what was agreed on in the meeting", Do: func(a *Agent) {
				a.Open("/?_task=mail")
				a.Click("link", "Minutes of the meeting")
				a.Wait("three beds and a hedge")
			}},
			{Wish: "drag the receipt into the folder Receipts", Changes: []string{`- INBOX: Your receipt 4711 .*`, `+ Receipts: Your receipt 4711 .*`}, Do: func(a *Agent) {
				a.Open("/?_task=mail")
				from, to := a.Ref("Your receipt 4711"), a.Ref(`treeitem "Receipts"`)
				a.Call("browser_drag", object{"startTarget": from, "endTarget": to})
			}},
			{Wish: "flag the mail about lunch", Changes: []string{`- INBOX: Lunch on Friday .*`, `+ INBOX: Lunch on Friday \(F\)`}, Do: func(a *Agent) {
				a.Open("/?_task=mail")
				a.ClickOn(a.Ref("Lunch on Friday", "Not Flagged"))
			}},
			{Wish: "write to Ben that noon suits, with the plan attached", Asks: 1, Changes: []string{`+ Sent: Noon suits .*`, `+ sent to ben@north.example: Noon suits, 1 attached`}, Do: func(a *Agent) {
				a.Open("/?_task=mail&_action=compose")
				a.Call("browser_type", object{"target": a.Ref(`text "To"`, "combobox"), "text": "ben@north.example"})
				a.Type("textbox", "Subject", "Noon suits")
				a.Look()
				a.TypeInto(a.Ref("Subject", "multiline"), "See you at the harbour.")
				a.Call("browser_file_upload", object{"role": "button", "name": "Attach a file", "files": []object{{"name": "plan.txt", "text": "beds"}}})
				a.Wait("plan.txt")
				a.Click("button", "Send")
				a.Wait("Photos of the boat")
			}},
			{Wish: "delete the mail of the lottery", Asks: 1, Changes: []string{`- INBOX: You won .*`, `+ Trash: You won .*`}, Do: func(a *Agent) {
				a.Open("/?_task=mail")
				a.Click("link", "You won")
				a.Wait("bank details") // while it loads, Delete does nothing
				a.Click("button", "Delete")
			}},
		},
	}
}

func transmission() Application {
	open := func(a *Agent) {
		a.Open("/transmission/web/")
		a.Wait("minutes.pdf") // also where only what is paused is shown: the page remembers it
		a.Look()
	}
	return Application{
		Name: "transmission", Host: "torrents.test", Software: "Transmission", Needs: []string{"transmission-daemon"}, Start: starts(installed.Transmission),
		Tasks: []Task{
			{Wish: "pause the download of minutes.pdf", Changes: []string{`- minutes.pdf paused=false 0`, `+ minutes.pdf paused=true 0`}, Do: func(a *Agent) {
				open(a)
				a.ClickOn(a.above(`text "minutes.pdf"`, "listitem"))
				a.Find(object{"text": "Pause Selected"})
				a.ClickOn(a.Ref("Pause Selected Torrents"))
				a.Call("browser_wait_for", object{"text": "Paused", "timeout": shownLimit})
			}},
			{Wish: "tell how large debian.iso is", Do: func(a *Agent) {
				open(a)
				a.Sees("debian.iso", "16.3 kB")
			}},
			{Wish: "show only what is paused", Do: func(a *Agent) {
				open(a)
				a.Call("browser_select_option", object{"target": a.Ref("Show", "combobox"), "values": []string{"Paused"}})
				a.Look()
				a.Sees("minutes.pdf")
			}},
			{Wish: "slow everything down for a while", Changes: []string{`- .*"alt-speed-enabled":false.*`, `+ .*"alt-speed-enabled":true.*`}, Do: func(a *Agent) {
				open(a)
				a.ClickOn(a.Ref("Temporary Speed Limits"))
			}},
			{Wish: "remove old-photos.zip from the list", Asks: 1, Changes: []string{`- old-photos.zip .*`}, Do: func(a *Agent) {
				open(a)
				a.Call("browser_select_option", object{"target": a.Ref("Show", "combobox"), "values": []string{"All"}})
				a.Look()
				a.ClickOn(a.above(`text "old-photos.zip"`, "listitem"))
				a.Look()
				a.ClickOn(a.Ref("Remove Selected Torrents"))
				a.Look()
				a.ClickOn(a.Ref("Remove old-photos.zip?", `link "Remove"`))
			}},
		},
	}
}
