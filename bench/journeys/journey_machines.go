package journeys

import (
	"testing"

	"github.com/gloveboxhq/glovebox/bench/installed"
	"github.com/gloveboxhq/glovebox/bench/journeys/apps"
)

// pick chooses an option of what a selector finds.
func pick(selector, option string) Act {
	return Act{Tool: "browser_select_option", Args: object{"target": selector, "values": []string{option}}}
}

func transmission() Journey {
	return Journey{
		Name: "transmission", Host: "torrents.test", Software: "Transmission",
		Needs: []string{"transmission-daemon"},
		Start: func(tb testing.TB, origin string) App { return installed.Transmission(tb, origin) },
		Acts: []Act{
			open("/transmission/web/").shows("debian.iso"),
			pick("#filter-mode", "Downloading"),
			fill("Filter", "minutes").with("role", "searchbox"),
			fill("Filter", "").with("role", "searchbox").shows("old-photos.zip"),
			pick("#filter-mode", "All"),
			on("#torrent_list li:nth-of-type(1)"),
			on("#toolbar-inspector"),
			on("#inspector-tab-files"),
			on("#inspector-tab-peers"),
			on("#inspector-tab-info"),
			on("#toolbar-inspector"),
			on("#compact-button"),
			on("#torrent_list li:nth-of-type(1)"),
			on("#toolbar-pause").saves(),
			on("#toolbar-start").saves(),
			on("#turtle-button").saves(),
			on("#prefs-button"),
			on("#start-added-torrents").saves(),
			on(".ui-dialog-titlebar-close"),
			on("#toolbar-open"),
			on("#upload_cancel_button"),
			on("#torrent_list li:nth-of-type(1)"),
			on("#toolbar-remove"),
			on("#dialog_cancel_button"),
			on("#toolbar-remove").leads(),
			on("#dialog_confirm_button").harms(apps.Delete),
			on("#toolbar-pause-all").saves(),
			on("#torrent_list li:nth-of-type(2)"),
			on("#toolbar-remove").leads(),
			on("#dialog_confirm_button").harms(apps.Delete),
		},
	}
}

func syncthing() Journey {
	const somebody = "P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2" // an example of its documentation
	return Journey{
		Name: "syncthing", Host: "files.test", Software: "Syncthing",
		Needs: []string{"syncthing"},
		Start: func(tb testing.TB, origin string) App { return installed.Syncthing(tb, origin) },
		Acts: []Act{
			open("/").shows("photos"),
			click("link", "Actions"),
			click("link", "Show ID"),
			on("#idqr .modal-footer button"),
			click("button", "Recent Changes"),
			on("#globalChanges .modal-footer button"),
			click("button", "Unshared photos"),
			on("#folder-2 [ng-click='rescanFolder(folder.id)']"),
			click("button", "Rescan All"),
			on("#folder-2 [ng-click^='editFolder']"),
			click("link", "File Versioning"),
			click("link", "Sharing"),
			on("#editFolder .modal-footer [data-dismiss=modal]"),
			on("#folder-2 [ng-click='setFolderPause(folder.id, true)']").saves().shows("Paused"),
			click("button", "Paused photos"),
			on("#folder-2 [ng-click='setFolderPause(folder.id, false)']").saves(),
			click("link", "Actions"),
			on("[ng-click='showSettings()']"),
			click("link", "Connections"),
			click("link", "General"),
			fill("Device Name", "study"),
			on("#settings .modal-footer .btn-primary").saves(),
			click("button", "Unshared old"),
			on("#folder-1 [ng-click^='editFolder']").leads(),
			on("#editFolder .modal-footer .btn-warning").leads(),
			on("#remove-folder-confirmation .btn-warning").harms(apps.Delete),
			click("button", "Add Remote Device").leads(),
			on("#deviceID").leads(),
			into("#deviceID", somebody).leads(),
			on("#editDevice .modal-footer .btn-primary").harms(apps.Grant),
			click("link", "Actions").leads(),
			on("[ng-click='shutdown()']").harms(apps.Machine),
		},
	}
}

func nodeRED() Journey {
	return Journey{
		Name: "node-red", Host: "flows.test", Software: "Node-RED",
		Needs: []string{"node", "npm"},
		Start: func(tb testing.TB, origin string) App { return installed.NodeRED(tb, origin) },
		Acts: []Act{
			open("/").shows("Night lights"),
			fill("filter nodes", "delete"),
			fill("filter nodes", ""),
			click("link", "Old flow"),
			fill("Search flows", "Write"),
			click("link", "Night lights"),
			on("#red-ui-header-button-sidemenu"),
			on("#menu-item-keyboard-shortcuts"),
			on("#node-dialog-ok"),
			key("Control+e"),
			on("#red-ui-clipboard-dialog-cancel"),
			key("Control+i"),
			on("#red-ui-clipboard-dialog-cancel"),
			on("#n1 .red-ui-flow-node-button-button").saves(),
			on("#n2").with("doubleClick", true),
			on("#node-input-name"),
			fill("Name", "Write a line"),
			on("#node-dialog-ok"),
			on("#red-ui-header-button-deploy").harms(apps.Publish),
			on("#n1"),
			key("Delete"),
			on("#red-ui-header-button-deploy").harms(apps.Publish),
			on("#red-ui-header-button-deploy-options"),
			on("#deploymenu-item-node"),
			click("link", "Old flow"),
		},
	}
}

func verdaccio() Journey {
	return Journey{
		Name: "verdaccio", Host: "packages.test", Software: "Verdaccio",
		Needs: []string{"node", "npm"},
		Start: func(tb testing.TB, origin string) App { return installed.Verdaccio(tb, origin) },
		Acts: []Act{
			open("/").shows("share-price"),
			click("button", "Login"),
			key("Escape"),
			fill("Search Packages", "delete").with("role", "combobox").shows("How to delete-files"),
			key("Escape"),
			click("link", "share-price"),
			click("tab", "Dependencies"),
			click("button", "release-notes: 1.2.0"),
			click("tab", "Versions"),
			click("tab", "Uplinks"),
			click("tab", "Readme"),
			back(),
			open("/-/web/detail/delete-files"),
			click("tab", "Versions"),
			click("link", "1.2.0"),
			open("/"),
		},
	}
}
