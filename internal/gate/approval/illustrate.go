package approval

import "context"

// SetScreenshot adds the artifact of a picture to a question. The fault is
// internal.
func (d *Queue) SetScreenshot(ctx context.Context, id, artifact string) error {
	_, err := d.db.Writer.ExecContext(ctx, `UPDATE questions SET question = json_set(question, '$.screenshot', ?) WHERE id = ?`, artifact, id)
	if err != nil {
		return broken(err)
	}
	return nil
}
