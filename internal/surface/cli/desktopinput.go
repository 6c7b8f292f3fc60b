package cli

import (
	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/spf13/cobra"
)

// mouse returns the commands of the pointer.
func (cmd desktopCommands) mouse() *cobra.Command {
	group := &cobra.Command{Use: "mouse", Short: "Use the pointer of the display", Args: between(0, 0), RunE: help}
	group.AddCommand(cmd.position(), cmd.pointerTo(), cmd.click(), cmd.button(action.VerbMouseDown, "down"), cmd.button(action.VerbMouseUp, "up"), cmd.drag(), cmd.scroll())
	return group
}

// keyboard returns the commands of the keyboard.
func (cmd desktopCommands) keyboard() *cobra.Command {
	group := &cobra.Command{Use: "keyboard", Short: "Use the keyboard of the display", Args: between(0, 0), RunE: help}
	group.AddCommand(cmd.typeText(), cmd.press(), cmd.hold(action.VerbKeyDown, "down"), cmd.hold(action.VerbKeyUp, "up"))
	return group
}

func (cmd desktopCommands) pointerTo() *cobra.Command {
	c := verb(action.VerbMouseMove.Name, "move <x> <y>", "glovebox desktop mouse move 320 240")
	c.Args = between(2, 2)
	c.RunE = func(c *cobra.Command, args []string) error {
		n, err := numbers(args)
		if err != nil {
			return err
		}
		return cmd.call(c.Context(), action.VerbMouseMove.Name, &action.MouseMove{X: n[0], Y: n[1]}, cmd.showPointer)
	}
	return c
}

func (cmd desktopCommands) click() *cobra.Command {
	var call action.MouseClick
	c := verb(action.VerbMouseClick.Name, "click <x> <y>", "glovebox desktop mouse click 320 240\nglovebox desktop mouse click 320 240 --button right\nglovebox desktop mouse click 320 240 --count 2")
	c.Args = between(2, 2)
	c.Flags().StringVar(&call.Button, "button", "", "left, right or middle")
	c.Flags().IntVar(&call.ClickCount, "count", 0, "2 is a double click")
	c.RunE = func(c *cobra.Command, args []string) error {
		n, err := numbers(args)
		if err != nil {
			return err
		}
		call.X, call.Y = n[0], n[1]
		return cmd.call(c.Context(), action.VerbMouseClick.Name, &call, cmd.showPointer)
	}
	return c
}

func (cmd desktopCommands) button(v action.Definition[action.MouseButton, action.DesktopPointer], word string) *cobra.Command {
	var call action.MouseButton
	c := verb(v.Name, word+" [<x> <y>]", "glovebox desktop mouse "+word+"\nglovebox desktop mouse "+word+" 320 240")
	c.Args = between(0, 2)
	c.Flags().StringVar(&call.Button, "button", "", "left, right or middle")
	c.RunE = func(c *cobra.Command, args []string) error {
		n, err := numbers(args)
		if err != nil {
			return err
		}
		if len(n) > 0 {
			call.X = &n[0]
		}
		if len(n) > 1 {
			call.Y = &n[1]
		}
		return cmd.call(c.Context(), v.Name, &call, cmd.showPointer)
	}
	return c
}

func (cmd desktopCommands) drag() *cobra.Command {
	c := verb(action.VerbMouseDrag.Name, "drag <x> <y> <to x> <to y>", "glovebox desktop mouse drag 100 200 300 200")
	c.Args = between(4, 4)
	c.RunE = func(c *cobra.Command, args []string) error {
		n, err := numbers(args)
		if err != nil {
			return err
		}
		call := &action.MouseDrag{StartX: n[0], StartY: n[1], EndX: n[2], EndY: n[3]}
		return cmd.call(c.Context(), action.VerbMouseDrag.Name, call, cmd.showPointer)
	}
	return c
}

func (cmd desktopCommands) scroll() *cobra.Command {
	var call action.MouseScroll
	c := verb(action.VerbMouseScroll.Name, "scroll <x> <y>", "glovebox desktop mouse scroll 320 240 --down 3\nglovebox desktop mouse scroll 320 240 --down=-3")
	c.Args = between(2, 2)
	c.Flags().IntVar(&call.DeltaX, "right", 0, "clicks of the wheel to the right; negative: to the left")
	c.Flags().IntVar(&call.DeltaY, "down", 0, "clicks of the wheel down; negative: up")
	c.RunE = func(c *cobra.Command, args []string) error {
		n, err := numbers(args)
		if err != nil {
			return err
		}
		call.X, call.Y = n[0], n[1]
		return cmd.call(c.Context(), action.VerbMouseScroll.Name, &call, cmd.showPointer)
	}
	return c
}

func (cmd desktopCommands) typeText() *cobra.Command {
	var call action.KeyType
	c := verb(action.VerbKeyType.Name, "type <text>", "glovebox desktop keyboard type 'Ada Lovelace'")
	c.Args = between(1, 1)
	c.Flags().IntVar(&call.DelayMs, "delay", 0, "milliseconds between keys")
	c.RunE = func(c *cobra.Command, args []string) error {
		call.Text = args[0]
		return cmd.call(c.Context(), action.VerbKeyType.Name, &call, cmd.ok)
	}
	return c
}

func (cmd desktopCommands) press() *cobra.Command {
	var call action.KeyPress
	c := verb(action.VerbKeyPress.Name, "press <key>", "glovebox desktop keyboard press Enter\nglovebox desktop keyboard press a --ctrl")
	c.Args = between(1, 1)
	c.Flags().BoolVar(&call.Modifiers.Ctrl, "ctrl", false, "hold Control")
	c.Flags().BoolVar(&call.Modifiers.Shift, "shift", false, "hold Shift")
	c.Flags().BoolVar(&call.Modifiers.Alt, "alt", false, "hold Alt")
	c.Flags().BoolVar(&call.Modifiers.Cmd, "cmd", false, "hold Meta")
	c.RunE = func(c *cobra.Command, args []string) error {
		call.Key = args[0]
		return cmd.call(c.Context(), action.VerbKeyPress.Name, &call, cmd.ok)
	}
	return c
}

func (cmd desktopCommands) hold(v action.Definition[action.KeyHold, action.Acted], word string) *cobra.Command {
	c := verb(v.Name, word+" <key>", "glovebox desktop keyboard "+word+" Shift")
	c.Args = between(1, 1)
	c.RunE = func(c *cobra.Command, args []string) error {
		return cmd.call(c.Context(), v.Name, &action.KeyHold{Key: args[0]}, cmd.ok)
	}
	return c
}
