package cli

import (
	"fmt"
	"image"
	"strconv"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/spf13/cobra"
)

// desktopCommands use the display of a session.
type desktopCommands struct{ *environment }

func (cmd desktopCommands) commands() []*cobra.Command {
	group := &cobra.Command{Use: "desktop", Short: "Use the display of a session: pictures, pointer, keyboard, windows, clipboard", Args: between(0, 0), RunE: help}
	windows := &cobra.Command{Use: "windows", Short: "List, focus, move and resize the windows of the display", Args: between(0, 0), RunE: help}
	windows.AddCommand(cmd.windowList(), cmd.focused(), cmd.focus(), cmd.move(), cmd.resize())
	clipboard := &cobra.Command{Use: "clipboard", Short: "Read and replace the text of the clipboard", Args: between(0, 0), RunE: help}
	clipboard.AddCommand(cmd.paste(), cmd.copy())
	group.AddCommand(cmd.screenshot(), cmd.mouse(), cmd.keyboard(), windows, clipboard, cmd.display())
	return []*cobra.Command{group}
}

func (cmd desktopCommands) screenshot() *cobra.Command {
	var shot action.DesktopShot
	var out, region string
	c := verb(action.VerbDesktopScreenshot.Name, "screenshot", "glovebox desktop screenshot -o display.png\nglovebox desktop screenshot --region 0,0,400,300 --cursor\nglovebox desktop screenshot --format jpeg --quality 60 --scale 0.5")
	c.Args = between(0, 0)
	f := c.Flags()
	f.StringVar(&shot.Format, "format", "", "png or jpeg (default png)")
	f.IntVar(&shot.Quality, "quality", 0, "of jpeg, 1 to 100 (default 85)")
	f.Float64Var(&shot.Scale, "scale", 0, "0.1 to 1: of the size (default 1)")
	f.BoolVar(&shot.ShowCursor, "cursor", false, "draw the pointer too")
	f.StringVar(&region, "region", "", "only a part, as x,y,width,height")
	outputFlag(c, &out, "desktop.png, or as the format has it")
	c.RunE = func(c *cobra.Command, _ []string) error {
		name, args := action.VerbDesktopScreenshot.Name, any(&shot)
		if region != "" {
			r, err := regionOf(region)
			if err != nil {
				return err
			}
			name = action.VerbDesktopRegion.Name
			args = &action.DesktopRegion{X: r.Min.X, Y: r.Min.Y, Width: r.Dx(), Height: r.Dy(), DesktopShot: shot}
		}
		return cmd.save(c.Context(), name, args, func(result action.Result) (string, []byte, string) {
			picture, ok := result.Data.(*action.Screenshot)
			if !ok {
				return "", nil, ""
			}
			return first(out, "desktop."+picture.Format), picture.Bytes, fmt.Sprintf("%d × %d, ", picture.Width, picture.Height)
		})
	}
	return c
}

// regionOf reads "x,y,width,height".
func regionOf(text string) (image.Rectangle, error) {
	var x, y, width, height int
	var more string
	if n, _ := fmt.Sscanf(text, "%d,%d,%d,%d%s", &x, &y, &width, &height, &more); n != 4 || width < 1 || height < 1 {
		return image.Rectangle{}, usage(fmt.Errorf("want a region as x,y,width,height, such as 0,0,400,300, not %q", text))
	}
	return image.Rect(x, y, x+width, y+height), nil
}

func (cmd desktopCommands) position() *cobra.Command {
	c := verb(action.VerbDesktopPointer.Name, "position", "glovebox desktop mouse position")
	c.Args = between(0, 0)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.call(c.Context(), action.VerbDesktopPointer.Name, &action.None{}, cmd.showPointer)
	}
	return c
}

func (cmd desktopCommands) showPointer(result action.Result) {
	at, ok := result.Data.(*action.DesktopPointer)
	if !ok {
		return
	}
	window := ""
	if at.Window != "" {
		window = "  window " + at.Window
	}
	cmd.printf("%d,%d%s\n", at.X, at.Y, window)
}

func (cmd desktopCommands) display() *cobra.Command {
	c := verb(action.VerbDesktopDisplay.Name, "display", "glovebox desktop display")
	c.Args = between(0, 0)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.call(c.Context(), action.VerbDesktopDisplay.Name, &action.None{}, func(result action.Result) {
			if d, ok := result.Data.(*action.DesktopDisplay); ok {
				cmd.printf("%s  %d × %d, %d dpi\n", clean(d.Display), d.Resolution.Width, d.Resolution.Height, d.Resolution.DPI)
			}
		})
	}
	return c
}

func (cmd desktopCommands) windowList() *cobra.Command {
	c := verb(action.VerbDesktopWindows.Name, "list", "glovebox desktop windows list")
	c.Args = between(0, 0)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.call(c.Context(), action.VerbDesktopWindows.Name, &action.None{}, func(result action.Result) {
			if listing, ok := result.Data.(*action.DesktopWindows); ok {
				for _, w := range listing.Windows {
					cmd.showWindow(w)
				}
			}
		})
	}
	return c
}

func (cmd desktopCommands) focused() *cobra.Command {
	c := verb(action.VerbDesktopFocused.Name, "focused", "glovebox desktop windows focused")
	c.Args = between(0, 0)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.call(c.Context(), action.VerbDesktopFocused.Name, &action.None{}, func(result action.Result) {
			if w, ok := result.Data.(*action.DesktopWindow); ok {
				cmd.showWindow(*w)
			}
		})
	}
	return c
}

func (cmd desktopCommands) showWindow(w action.DesktopWindow) {
	mark := " "
	if w.IsActive {
		mark = cmd.style.good("*")
	}
	cmd.printf("%s %s  %d × %d at %d,%d  %s\n", mark, clean(w.ID), w.Width, w.Height, w.X, w.Y, cmd.style.bold(short(w.Title, 80)))
}

func (cmd desktopCommands) focus() *cobra.Command {
	c := verb(action.VerbDesktopFocus.Name, "focus <id>", "glovebox desktop windows focus 2097156")
	c.Args = between(1, 1)
	c.RunE = func(c *cobra.Command, args []string) error {
		return cmd.call(c.Context(), action.VerbDesktopFocus.Name, &action.ByID{ID: args[0]}, cmd.ok)
	}
	return c
}

func (cmd desktopCommands) move() *cobra.Command {
	c := verb(action.VerbDesktopMove.Name, "move <id> <x> <y>", "glovebox desktop windows move 2097156 0 40")
	c.Args = between(3, 3)
	c.RunE = func(c *cobra.Command, args []string) error {
		n, err := numbers(args[1:])
		if err != nil {
			return err
		}
		return cmd.call(c.Context(), action.VerbDesktopMove.Name, &action.MoveWindow{ByID: action.ByID{ID: args[0]}, X: n[0], Y: n[1]}, cmd.ok)
	}
	return c
}

func (cmd desktopCommands) resize() *cobra.Command {
	c := verb(action.VerbDesktopResize.Name, "resize <id> <width> <height>", "glovebox desktop windows resize 2097156 1024 700")
	c.Args = between(3, 3)
	c.RunE = func(c *cobra.Command, args []string) error {
		n, err := numbers(args[1:])
		if err != nil {
			return err
		}
		return cmd.call(c.Context(), action.VerbDesktopResize.Name, &action.ResizeWindow{ByID: action.ByID{ID: args[0]}, Width: n[0], Height: n[1]}, cmd.ok)
	}
	return c
}

// numbers reads whole numbers.
func numbers(args []string) (all []int, err error) {
	for _, arg := range args {
		n, err := strconv.Atoi(arg)
		if err != nil {
			return nil, usage(fmt.Errorf("want a whole number of pixels, not %q", arg))
		}
		all = append(all, n)
	}
	return all, nil
}

func (cmd desktopCommands) paste() *cobra.Command {
	var call action.ReadClipboard
	c := verb(action.VerbDesktopClipboard.Name, "get", "glovebox desktop clipboard get\nglovebox desktop clipboard get --selection primary")
	c.Args = between(0, 0)
	c.Flags().StringVar(&call.Selection, "selection", "", "clipboard or primary (default clipboard)")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.call(c.Context(), action.VerbDesktopClipboard.Name, &call, func(result action.Result) {
			if text, ok := result.Data.(*action.ClipboardText); ok {
				cmd.printf("%s\n", clean(text.Text))
			}
		})
	}
	return c
}

func (cmd desktopCommands) copy() *cobra.Command {
	var call action.WriteClipboard
	c := verb(action.VerbDesktopCopy.Name, "set <text>", "glovebox desktop clipboard set 'Ada Lovelace'\nglovebox desktop clipboard set --selection both 'Ada Lovelace'")
	c.Args = between(1, 1)
	c.Flags().StringVar(&call.Selection, "selection", "", "clipboard, primary or both (default clipboard)")
	c.RunE = func(c *cobra.Command, args []string) error {
		call.Text = args[0]
		return cmd.call(c.Context(), action.VerbDesktopCopy.Name, &call, cmd.ok)
	}
	return c
}

func (cmd desktopCommands) ok(action.Result) { cmd.printf("%s\n", cmd.style.good("ok")) }
