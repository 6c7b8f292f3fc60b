package image

import (
	"context"

	"github.com/gloveboxhq/glovebox/images"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// BuildAllInOne builds the image that also contains the gateway: first the image of
// a box, which it tags box, then the all-in-one image from it. Faults are those of
// Build.
func BuildAllInOne(ctx context.Context, box string, options Options) error {
	if options.Tag == "" || box == options.Tag {
		return fault.New(fault.InvalidRequest, "the all-in-one image needs a tag of its own").
			Hinted("give one, as in --tag glovebox:dev")
	}
	options = options.complete(ctx)
	first := options
	first.Tag = box
	if err := Build(ctx, first); err != nil {
		return err
	}
	engine, architecture, err := dial(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = engine.Close() }()
	recipe, err := prepare(options.Binary, architecture)
	if err != nil {
		return err
	}
	recipe.files = []file{{"Dockerfile", 0o644, images.AllInOne}}
	recipe.arguments = map[string]*string{"BOX_IMAGE": &box}
	return build(ctx, engine, recipe, options)
}
