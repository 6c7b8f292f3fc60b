package compare

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// Self is the name of the tree itself, for a comparison of the tree with
// itself.
const Self = "self"

// Commit is what the tree is compared with.
type Commit struct {
	ID    string // of 40 digits; empty for the tree itself
	Title string // for the table: the short id and the first line of the message
}

// Against returns the commit that the tree in folder is compared with. It is
// the given one; if none is given, HEAD if files were changed since, else the
// commit before HEAD. Self is the tree itself.
func Against(ctx context.Context, folder, given string) (Commit, error) {
	switch given {
	case Self:
		return Commit{Title: "the same tree"}, nil
	case "":
		changes, err := git(ctx, folder, "status", "--porcelain")
		if err != nil {
			return Commit{}, err
		}
		given = "HEAD"
		if changes == "" {
			given = "HEAD^"
		}
	}
	id, err := git(ctx, folder, "rev-parse", "--verify", "--quiet", "--end-of-options", given+"^{commit}")
	if err != nil {
		return Commit{}, fmt.Errorf("there is no commit %q: %w", given, err)
	}
	title, err := git(ctx, folder, "log", "-1", "--format=%h %s", id)
	return Commit{id, title}, err
}

// Tree describes what is checked out in folder.
func Tree(ctx context.Context, folder string) (string, error) {
	title, err := git(ctx, folder, "log", "-1", "--format=%h %s", "HEAD")
	if err != nil {
		return "", err
	}
	changes, err := git(ctx, folder, "status", "--porcelain")
	if changes != "" {
		title += ", with uncommitted changes"
	}
	return title, err
}

// git runs one command and returns what it printed, without the last line's
// end.
func git(ctx context.Context, folder string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", folder}, args...)...).Output()
	if err != nil {
		var ended *exec.ExitError
		if errors.As(err, &ended) && len(ended.Stderr) > 0 {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(ended.Stderr)))
		}
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}
