package local

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

func invalidOptions(what string) *fault.Fault {
	return fault.New(fault.InvalidRequest, "the local driver needs %s", what).
		Hinted("see browser.sandbox in the configuration")
}

func notFound(id string) *fault.Fault {
	return fault.New(fault.NotFound, "there is no running box %s", id).Hinted("start a new session")
}

func endedFault(id, how string) *fault.Fault {
	return fault.New(fault.NotActive, "box %s %s", id, how).Hinted("start a new session")
}

func folderFault(dir string, err error) *fault.Fault {
	return fault.New(fault.StartFailed, "the folder for boxes %s cannot be used", dir).
		Hinted("mount a tmpfs there that the gateway may write to").Because(err)
}

func cancelledFault(ctx context.Context) *fault.Fault {
	return fault.New(fault.StartFailed, "nobody waited for the box").Hinted("try again").Because(ctx.Err())
}
