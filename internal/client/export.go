package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Export writes the audit trail as a file to a writer while it is received, and
// returns how many bytes there were. Faults: as of Call, and internal when the file
// is incomplete.
func (c *Client) Export(ctx context.Context, e action.AuditExport, to io.Writer) (int64, error) {
	query, err := queryOf(e)
	if err != nil {
		return 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base.String()+"/v1/audit/export?"+query, http.NoBody)
	if err != nil {
		return 0, fault.From(err)
	}
	c.sign(req)
	mark(req, action.Call{Surface: "cli"})
	res, err := c.http.Do(req)
	if err != nil {
		return 0, unreachable(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		_, err := c.whole(req, res)
		return 0, err
	}
	n, err := io.Copy(to, res.Body)
	if err != nil {
		return n, fault.New(fault.Internal, "the export broke off after %d bytes", n).
			Hinted("try again; what came is not the whole").Because(err)
	}
	return n, nil
}

// queryOf encodes arguments as a query.
func queryOf(args any) (string, error) {
	text, err := json.Marshal(args)
	if err != nil {
		return "", fault.From(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		return "", fault.From(err)
	}
	query := url.Values{}
	for name, value := range fields {
		query.Set(name, fmt.Sprint(value))
	}
	return query.Encode(), nil
}
