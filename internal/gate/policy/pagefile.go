package policy

import (
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// IsStatic reports whether a request is for a static file of a page, such as a picture or a style
// sheet.
func IsStatic(r action.Request) bool {
	u, err := url.Parse(r.URL)
	if err != nil {
		return false
	}
	if !pageParts[r.Kind] {
		return r.Kind != "Document" && u.RawQuery == "" && staticFile[path.Ext(u.Path)]
	}
	return u.RawQuery == "" || staticFile[path.Ext(u.Path)]
}

// pageParts are the kinds of requests for resources of a page.
var pageParts = map[string]bool{"Image": true, "Stylesheet": true, "Font": true, "Script": true, "Media": true}

// isFile reports whether a request is for a resource of a page, by its kind, its file extension and
// its folders: /static/cancel.js and /cancel.js do nothing. Elsewhere servers may take the name
// without its ending for an act on a thing, as in /items/5/delete.png.
func isFile(r action.Request) bool {
	u, err := url.Parse(r.URL)
	if !pageParts[r.Kind] || err != nil {
		return false
	}
	ending := strings.ToLower(path.Ext(u.Path))
	if !staticFile[ending] || ending == ".json" || ending == ".html" {
		return false
	}
	folders := strings.Split(strings.ToLower(path.Dir(u.Path)), "/")
	for _, folder := range folders {
		if e := path.Ext(folder); scriptEndings[e] || staticFile[e] {
			return false // a program, which gets the rest of the path
		}
	}
	return slices.ContainsFunc(folders, func(f string) bool { return assetFolders[f] }) || len(folders) <= 2 && u.RawQuery == ""
}

// isTemplate reports whether a script of a page reads a template: a single file by its name, below folders,
// with nothing in the address that identifies a thing.
func isTemplate(r action.Request) bool {
	u, err := url.Parse(r.URL)
	if err != nil || r.Method != http.MethodGet || r.Kind != "XHR" && r.Kind != "Fetch" || !isCacheBuster(u.RawQuery) || u.Fragment != "" || !isUnambiguousPath(r.URL) {
		return false
	}
	folder, file := path.Split(u.Path)
	if stem, ending, _ := strings.Cut(file, "."); !templateEndings[strings.ToLower(ending)] || !isTemplateName(stem) {
		return false
	}
	folders := strings.Split(strings.Trim(strings.ToLower(folder), "/"), "/")
	return slices.ContainsFunc(folders, func(f string) bool { return templateFolders[f] || assetFolders[f] }) &&
		!slices.ContainsFunc(folders, func(f string) bool { return isID(f) || !isTemplateName(f) })
}

// isCacheBuster reports whether a query is empty, or only makes the browser read a file again: a fraction
// without a name (Math.random), the time in ms, or a version.
func isCacheBuster(query string) bool { return cacheBuster.MatchString(query) }

var cacheBuster = regexp.MustCompile(`^(0?\.\d+|(_|t|ts|v|ver|version|cb|bust)=(1\d{12}|\d*(\.\d+)+))?$`)

// isTemplateName reports whether a part of a path has letters, hyphens and underscores only.
func isTemplateName(part string) bool {
	return part != "" && strings.Trim(part, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == ""
}

var (
	templateEndings = namesOf("ejs hbs handlebars mustache tpl tmpl njk pug jade html htm tpl.html hbs.html component.html")
	templateFolders = namesOf("templates template tpl tmpl views view partials partial components includes layouts snippets")
)

// withoutEnding is the address of a resource of a page without its file extension; other addresses
// as they are.
func withoutEnding(r action.Request) string {
	u, err := url.Parse(r.URL)
	if err != nil || !pageParts[r.Kind] || !staticFile[strings.ToLower(path.Ext(u.Path))] {
		return r.URL
	}
	u.Path, u.RawPath = strings.TrimSuffix(u.Path, path.Ext(u.Path)), ""
	return u.String()
}

// assetFolders are folders of files that pages are made of.
var assetFolders = namesOf(`static assets asset images image img imgs icons icon css js javascripts stylesheets styles scripts script fonts font dist build
		_next _nuxt _app media files vendor vendors lib libs node_modules public packs bundles cdn wp-content wp-includes themes plugins skins resources theme graphics pics`)

var staticFile = map[string]bool{".js": true, ".mjs": true, ".css": true, ".png": true, ".svg": true, ".jpg": true, ".jpeg": true, ".gif": true, ".webp": true,
	".ico": true, ".woff": true, ".woff2": true, ".ttf": true, ".json": true, ".map": true, ".html": true, ".wasm": true, ".avif": true}
