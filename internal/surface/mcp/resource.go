package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	scheme        = "glovebox"
	mostResource  = 4 << 20 // bytes of a file; base64 makes a third more of it
	mostListed    = 100     // files in a list, the newest first
	mostSessions  = 5       // whose files are listed, the newest first
	resourceLimit = 30 * time.Second
)

// templates describe the resources that can be read besides those that are
// listed.
var templates = []*mcp.ResourceTemplate{
	{Name: "snapshot", Title: "Page of a session", URITemplate: scheme + "://session/{session}/snapshot", MIMEType: "text/plain", Description: "The page as roles, names and refs, as it is now"},
	{Name: "artifact", Title: "File of a session", URITemplate: scheme + "://session/{session}/artifact/{id}", Description: "A screenshot, download or other file that a session left"},
}

// asking makes a turn for a request that is not a tool call.
func (s *Surface) asking(ctx context.Context, session *mcp.ServerSession, with *mcp.RequestExtra, request string) (*turn, error) {
	c := from(ctx, with)
	if c == nil {
		return nil, fault.New(fault.Unauthenticated, "the call carries no valid token")
	}
	return &turn{surface: s, caller: c.caller, id: newID(), until: time.Now(), connection: connection(session, c), quiet: true, source: source(session, c, request)}, nil
}

// listing answers resources/list. The list is made for each request, because
// files are added and removed, and differ for each caller.
func (s *Surface) listing(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		req, ok := r.(*mcp.ListResourcesRequest)
		if !ok {
			return next(ctx, method, r)
		}
		result, err := next(ctx, method, r) // what the library fills in
		list, is := result.(*mcp.ListResourcesResult)
		if err != nil || !is {
			return result, err
		}
		ctx, stop := context.WithTimeout(ctx, resourceLimit)
		defer stop()
		t, err := s.asking(ctx, req.Session, req.Extra, method)
		if err == nil {
			list.Resources, err = t.resources(ctx)
		}
		return list, protocol(err)
	}
}

// resources lists the page of each open session, and the newest files of each.
func (t *turn) resources(ctx context.Context) ([]*mcp.Resource, error) {
	sessions, err := t.sessions(ctx)
	if err != nil {
		return nil, err
	}
	all := []*mcp.Resource{}
	for i, s := range sessions {
		if s.State == "open" {
			all = append(all, &mcp.Resource{Name: "snapshot-" + untrusted.ToolLine(s.ID, 64), Title: "Page of " + titled(&s), URI: address(s.ID, "snapshot"), MIMEType: "text/plain"})
		}
		if i >= mostSessions || len(all) >= mostListed {
			continue
		}
		files, err := t.files(ctx, s.ID)
		if err != nil {
			return nil, err
		}
		for _, f := range files[:min(len(files), mostListed-len(all))] {
			all = append(all, &mcp.Resource{Name: untrusted.ToolLine(f.Name, 200), URI: address(s.ID, "artifact", f.ID), MIMEType: untrusted.ToolLine(f.MediaType, 100), Size: f.Size})
		}
	}
	return all, nil
}

func titled(s *action.Session) string {
	if s.Name != "" {
		return untrusted.ToolLine(s.Name, 64)
	}
	return untrusted.ToolLine(s.ID, 64)
}

func address(session string, rest ...string) string {
	for i := range rest {
		rest[i] = url.PathEscape(rest[i])
	}
	return scheme + "://session/" + url.PathEscape(session) + "/" + strings.Join(rest, "/")
}

func (t *turn) sessions(ctx context.Context) ([]action.Session, error) {
	result, err := t.surface.o.Gate.Call(ctx, t.request(action.VerbSessionList.Name, &action.SessionList{}))
	listing, ok := result.Data.(*action.SessionListing)
	if err != nil || !ok {
		return nil, err
	}
	return listing.Sessions, nil
}

func (t *turn) files(ctx context.Context, session string) ([]action.Artifact, error) {
	t.session = session
	defer func() { t.session = "" }()
	result, err := t.surface.o.Gate.Call(ctx, t.request(action.VerbArtifactList.Name, &action.None{}))
	listing, ok := result.Data.(*action.ArtifactListing)
	if err != nil || !ok {
		return nil, err
	}
	return listing.Artifacts, nil
}

// read answers resources/read. Its calls are judged and recorded like those of
// a tool.
func (s *Surface) read(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	ctx, stop := context.WithTimeout(ctx, resourceLimit)
	defer stop()
	t, err := s.asking(ctx, req.Session, req.Extra, "resources/read")
	if err != nil {
		return nil, protocol(err)
	}
	parts := pathOf(req.Params.URI)
	var contents *mcp.ResourceContents
	switch {
	case len(parts) == 2 && parts[1] == "snapshot":
		contents, err = t.page(ctx, parts[0])
	case len(parts) == 3 && parts[1] == "artifact":
		contents, err = t.file(ctx, parts[0], parts[2])
	default:
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	if err != nil {
		return nil, protocol(err)
	}
	contents.URI = req.Params.URI
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents}}, nil
}

// pathOf returns the parts of one of our resource addresses: the session, and
// what is asked of it.
func pathOf(uri string) []string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != scheme || u.Host != "session" {
		return nil
	}
	return strings.Split(strings.TrimPrefix(u.Path, "/"), "/")
}

func (t *turn) page(ctx context.Context, session string) (*mcp.ResourceContents, error) {
	t.session = session
	result, err := t.surface.o.Gate.Call(ctx, t.request(action.VerbPageSnapshot.Name, &action.TakeSnapshot{}))
	if err != nil {
		return nil, err
	}
	shot, ok := result.Data.(*action.Snapshot)
	if !ok {
		return nil, fault.New(fault.Internal, "the page was not shown").Hinted("call browser_snapshot")
	}
	return &mcp.ResourceContents{MIMEType: "text/plain", Text: marked(shot.Text, shot.URL, fullSnapshot)}, nil
}

func (t *turn) file(ctx context.Context, session, id string) (*mcp.ResourceContents, error) {
	files, err := t.files(ctx, session)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.ID != id {
			continue
		}
		if f.Size > mostResource {
			return nil, fault.New(fault.LimitReached, "the file has more than %d bytes", mostResource).Hinted("have an operator fetch it: glovebox artifacts get %s", id)
		}
		return t.content(ctx, id)
	}
	return nil, fault.New(fault.NotFound, "the session has no such file").Hinted("list the resources")
}

func (t *turn) content(ctx context.Context, id string) (*mcp.ResourceContents, error) {
	result, err := t.surface.o.Gate.Call(ctx, t.request(action.VerbArtifactGet.Name, &action.ByID{ID: id}))
	if err != nil {
		return nil, err
	}
	file, ok := result.Data.(*action.File)
	if !ok || len(file.Bytes) > mostResource {
		return nil, fault.New(fault.LimitReached, "the file cannot be read here").Hinted("have an operator fetch it: glovebox artifacts get %s", id)
	}
	return &mcp.ResourceContents{MIMEType: untrusted.ToolLine(file.MediaType, 100), Blob: file.Bytes}, nil
}

// complete answers completion/complete: names of sessions, and ids of the files
// of one.
func (s *Surface) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	result := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	if ref := req.Params.Ref; ref == nil || ref.Type != "ref/resource" || !strings.HasPrefix(ref.URI, scheme+"://session/{session}/") {
		return result, nil
	}
	ctx, stop := context.WithTimeout(ctx, resourceLimit)
	defer stop()
	t, err := s.asking(ctx, req.Session, req.Extra, "completion/complete")
	if err != nil {
		return nil, protocol(err)
	}
	all, err := t.completions(ctx, req.Params)
	if err != nil {
		return nil, protocol(err)
	}
	for _, value := range all {
		if strings.HasPrefix(value, req.Params.Argument.Value) && len(result.Completion.Values) < mostListed {
			result.Completion.Values = append(result.Completion.Values, value)
		}
	}
	return result, nil
}

func (t *turn) completions(ctx context.Context, p *mcp.CompleteParams) (all []string, err error) {
	switch p.Argument.Name {
	case "session":
		sessions, err := t.sessions(ctx)
		for _, s := range sessions {
			all = append(all, titled(&s))
		}
		return all, err
	case "id":
		if p.Context == nil || p.Context.Arguments["session"] == "" {
			return nil, nil
		}
		files, err := t.files(ctx, p.Context.Arguments["session"])
		for _, f := range files {
			all = append(all, f.ID)
		}
		return all, err
	}
	return nil, nil
}

// protocol returns a fault as an error of the protocol, with what to do next.
func protocol(err error) error {
	if err == nil {
		return nil
	}
	f := fault.From(err)
	text := fmt.Sprintf("%s: %s", f.Code, untrusted.ToolLine(f.Message, 500))
	if hint := next(f); hint != "" {
		text += ". Next: " + untrusted.ToolLine(hint, 500)
	}
	data, _ := json.Marshal(map[string]any{"code": f.Code}) // marshalling a string cannot fail
	return &jsonrpc.Error{Code: int64(f.Code.Info().RPC), Message: text, Data: data}
}
