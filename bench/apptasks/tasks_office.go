package apptasks

import "github.com/gloveboxhq/glovebox/bench/installed"

func django() Application {
	return Application{
		Name: "django", Host: "office.test", Software: "Django admin", Fast: true,
		Needs: []string{"/usr/lib/python3/dist-packages/django"}, Start: starts(installed.Django),
		SignIn: func(a *Agent) {
			a.Open("/admin/login/")
			a.Type("textbox", "Username:", "ann")
			a.Call("browser_type", object{"target": "#id_password", "text": password})
			a.Click("button", "Log in")
		},
		Tasks: []Task{
			{Wish: "add a group Editors", Changes: []string{`+ group \d+ Editors`}, Do: func(a *Agent) {
				a.Open("/admin/")
				a.Click("link", "Groups")
				a.Click("link", "Add group")
				a.Type("textbox", "Name:", "Editors")
				a.Click("button", "Save")
				a.Sees("Editors")
			}},
			{Wish: "let the group Editors add users", Asks: 1, Changes: []string{`+ right \d+ \d+`}, Do: func(a *Agent) {
				a.Open("/admin/auth/group/")
				a.Click("link", "Editors")
				a.Look()
				a.Call("browser_select_option", object{"target": a.Ref("Available permissions", "listbox"), "values": []string{"auth | user | Can add user"}})
				a.Click("link", "Choose")
				a.Click("button", "Save")
			}},
			{Wish: "enter that ann's name is Ann Field", Needless: 1, Changes: []string{`- user ann .*`, `+ user ann Annann@owners.example.*`}, Do: func(a *Agent) {
				a.Open("/admin/auth/user/")
				a.Click("link", "ann")
				a.Fill("First name:", "Ann", "Last name:", "Field")
				a.Click("button", "Save")
				a.Sees("Field")
			}},
			{Wish: "tell which rights the group Editors has", Do: func(a *Agent) {
				a.Open("/admin/auth/group/")
				a.Click("link", "Editors")
				a.Look()
				a.Sees("Chosen permissions", "Can add user")
			}},
			{Wish: "delete the group Editors", Asks: 1, Changes: []string{`- group \d+ Editors`, `- right \d+ \d+`}, Do: func(a *Agent) {
				a.Open("/admin/auth/group/")
				a.Click("link", "Editors")
				a.Click("link", "Delete")
				a.Click("button", "Yes, I’m sure")
				a.Sees("0 groups")
			}},
		},
	}
}

// signInByScript signs in as PocketBase's own login does, which keeps what it
// got in localStorage.
const signInByScript = `async () => {
	const answer = await fetch("/api/collections/_superusers/auth-with-password", {method: "POST",
		headers: {"Content-Type": "application/json"}, body: JSON.stringify({identity: "` + installed.Owner + `", password: "` + password + `"})});
	const {token, record} = await answer.json();
	localStorage.setItem("__pb_superuser_auth__", JSON.stringify({token, record}));
}`

func pocketBase() Application {
	notes := "/_/#/collections?collection=notes"
	return Application{
		Name: "pocketbase", Host: "records.test", Software: "PocketBase", Fast: true, Start: starts(installed.PocketBase),
		SignIn: func(a *Agent) {
			a.Open("/_/")
			a.Wait("Superuser login")
			a.Call("browser_evaluate", object{"function": signInByScript})
		},
		Tasks: []Task{
			{Wish: "add a note Buy seeds", Changes: []string{`+ note \w+ Buy seeds`}, Do: func(a *Agent) {
				a.Open(notes)
				a.Wait("Minutes")
				a.Click("button", "New record")
				a.Type("textbox", "title", "Buy seeds")
				a.Click("button", "Create")
			}},
			{Wish: "rename the note Minutes to Minutes of May", Changes: []string{`- note \w+ Minutes`, `+ note \w+ Minutes of May`}, Do: func(a *Agent) {
				a.Open(notes)
				a.Wait("Minutes")
				a.Look()
				a.ClickOn(a.above(`"Minutes"`, "row"))
				a.Type("textbox", "title", "Minutes of May")
				a.Click("button", "Save changes")
			}},
			{Wish: "find the notes about files", Do: func(a *Agent) {
				a.Open(notes)
				a.Wait("Share price")
				a.Look()
				a.TypeInto(a.Ref("Search term or filter", "textbox"), `title ~ "files"`)
				a.Key("Enter")
				a.Call("browser_wait_for", object{"textGone": "Share price", "timeout": shownLimit})
				a.Look()
				a.Sees("How to delete files")
			}},
			{Wish: "call the application Field notes", Changes: []string{`- setting .*`, `+ setting .*Field notes.*`}, Do: func(a *Agent) {
				a.Open("/_/#/settings")
				a.Wait("Application name")
				a.Type("textbox", "Application name", "Field notes")
				a.Click("button", "Save changes")
			}},
			{Wish: "delete the note Old note", Asks: 1, Changes: []string{`- note \w+ Old note`}, Do: func(a *Agent) {
				a.Open(notes)
				a.Wait("Old note")
				a.Look()
				a.ClickOn(a.above(`"Old note"`, "row"))
				a.Look()
				a.Click("button", "More record options")
				a.Click("menuitem", "Delete")
				a.Click("button", "Yes")
			}},
		},
	}
}

func wordPress() Application {
	return Application{
		Name: "wordpress", Host: "blog.test", Software: "WordPress",
		Needs: []string{"php", "mariadbd", "mariadb-install-db", "/usr/share/wordpress", "/usr/lib/php"}, Start: starts(installed.WordPress),
		SignIn: func(a *Agent) {
			a.Open("/wp-login.php")
			a.Type("textbox", "Username or Email Address", "ann")
			a.Call("browser_type", object{"target": "#user_pass", "text": password})
			a.Click("button", "Log In")
			a.Wait("Dashboard")
		},
		Tasks: []Task{
			{Wish: "write a post Hedges and keep it as a draft", Changes: []string{`+ \d+\tHedges\tdraft\t.*They grow\..*`}, Do: func(a *Agent) {
				a.Open("/wp-admin/post-new.php")
				a.Click("button", "Close dialog")
				a.Type("textbox", "Add title", "Hedges")
				a.Key("Enter")
				a.Call("browser_type", object{"role": "textbox", "name": "Empty block", "text": "They grow."})
				a.Click("button", "Save draft")
				a.Wait("Saved")
			}},
			{Wish: "publish the draft Hedges", Asks: 1, Needless: 2, Changes: []string{`- \d+\tHedges\tdraft.*`, `+ \d+\tHedges\tpublish.*`}, Do: func(a *Agent) {
				a.Open("/wp-admin/edit.php?post_status=draft&post_type=post")
				a.Click("link", "“Hedges” (Edit)")
				a.Wait("They grow.")
				a.Click("button", "Publish")
				a.Look()
				a.ClickOn(a.Ref("Editor publish", `button "Publish"`))
				a.Wait("is now live")
			}},
			{Wish: "name the site's tagline Notes from the garden", Needless: 1, Changes: []string{`- blogdescription.*`, `+ blogdescription\tNotes from the garden`}, Do: func(a *Agent) {
				a.Open("/wp-admin/options-general.php")
				a.Type("textbox", "Tagline", "Notes from the garden")
				a.Click("button", "Save Changes")
				a.Sees("Settings saved")
			}},
			{Wish: "add a category Gardens", Changes: []string{`+ \d+\tGardens`}, Do: func(a *Agent) {
				a.Open("/wp-admin/edit-tags.php?taxonomy=category")
				a.Type("textbox", "Name", "Gardens")
				a.Click("button", "Add New Category")
			}},
			{Wish: "move the sample page to the trash", Asks: 1, Changes: []string{`- \d+\tSample Page\tpublish.*`, `+ \d+\tSample Page\ttrash.*`}, Do: func(a *Agent) {
				a.Open("/wp-admin/edit.php?post_type=page")
				a.Call("browser_hover", object{"role": "link", "name": "“Sample Page” (Edit)"})
				a.Click("link", "Move “Sample Page” to the Trash")
			}},
		},
	}
}

func dokuWiki() Application {
	return Application{
		Name: "dokuwiki", Host: "notes.test", Software: "DokuWiki", Needs: []string{"php", "/usr/share/dokuwiki"}, Start: starts(installed.DokuWiki),
		SignIn: func(a *Agent) {
			a.Open("/doku.php?do=login")
			a.Type("textbox", "Username", "ann")
			a.Call("browser_type", object{"target": "[type=password]", "text": password})
			a.Click("button", "Log In")
			a.Wait("Ann Field")
		},
		Tasks: []Task{
			{Wish: "make a page plan that says Plant and water", Changes: []string{`+ plan.txt "Plant and water\.\\n.*"`}, Do: func(a *Agent) {
				a.Open("/doku.php?id=plan")
				a.Click("link", "Create this page")
				a.Look()
				a.TypeInto(a.Ref("textbox", "multiline"), "Plant and water.\n")
				a.Click("button", "Save")
				a.Wait("Plant and water.")
			}},
			{Wish: "add to the page about releases that 1.3 comes in May", Changes: []string{`- release.txt.*`, `+ release.txt ".*Release 1.2.*1.3 comes in May.*"`}, Do: func(a *Agent) {
				a.Open("/doku.php?id=start")
				a.Click("link", "Release 1.2")
				a.Click("link", "Edit this page")
				a.Look()
				a.Sees("It sends faster.")
				a.Call("browser_type", object{"target": a.Ref("textbox", "multiline"), "text": "\n1.3 comes in May.\n"})
				a.Click("button", "Save")
			}},
			{Wish: "find on which page the post office is", Do: func(a *Agent) {
				a.Open("/doku.php?id=release")
				a.Type("textbox", "[F]", "office")
				a.Click("button", "Search")
				a.Sees("Open on weekdays")
			}},
			{Wish: "put the plan into the wiki's media", Changes: []string{`+ plan.pdf ".*"`}, Do: func(a *Agent) {
				a.Open("/doku.php?id=start&do=media")
				a.Look()
				a.Click("link", "Upload")
				a.Look()
				a.Call("browser_file_upload", object{"target": a.Ref(`"Choose File"`), "files": []object{{"name": "plan.pdf", "text": "%PDF-1.4 beds"}}})
				a.Look()
				a.ClickOn(a.Ref("Choose File", `button "Upload"`))
			}},
			{Wish: "delete the old page", Asks: 1, Changes: []string{`- old.txt.*`}, Do: func(a *Agent) {
				a.Open("/doku.php?id=old&do=edit")
				a.Look()
				a.TypeInto(a.Ref("textbox", "multiline"), "")
				a.Click("button", "Save")
			}},
		},
	}
}
