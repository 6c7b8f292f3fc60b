package bench

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// seen makes sure that an answer shows a text: what an agent does with a
// server that does not say what an act changed is to look.
func seen(h hand, answer, want string) error {
	if strings.Contains(answer, want) {
		return nil
	}
	text, err := h.look()
	if err == nil && !strings.Contains(text, want) {
		err = fmt.Errorf("%q is not in\n%s", want, text)
	}
	return err
}

// at opens a page and returns references to what is to be used there, each
// given as role and name.
func (c *comparison) at(h hand, path string, elements ...[2]string) ([]string, error) {
	if _, err := h.open(c.site.own + path); err != nil {
		return nil, err
	}
	m := mind{hand: h}
	var refs []string
	for _, e := range elements {
		ref, err := m.known(e[0], e[1])
		if err != nil {
			return nil, err
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

type doing = func(round int) (time.Duration, error)

// clicking presses a button that changes two texts, and reads them.
func clicking(path string) func(c *comparison, h hand) (doing, error) {
	return func(c *comparison, h hand) (doing, error) {
		refs, err := c.at(h, path, [2]string{"button", "Add one"})
		if err != nil {
			return nil, err
		}
		return func(round int) (time.Duration, error) {
			text, err := h.click(refs[0], false)
			if err != nil {
				return 0, err
			}
			return 0, seen(h, text, fmt.Sprintf("Added number %d", round+1))
		}, nil
	}
}

// filling fills a field anew, and reads what is in it.
func filling(path string) func(c *comparison, h hand) (doing, error) {
	return func(c *comparison, h hand) (doing, error) {
		refs, err := c.at(h, path, [2]string{"textbox", "Name"})
		if err != nil {
			return nil, err
		}
		return func(round int) (time.Duration, error) {
			value := fmt.Sprintf("Some text %d", round)
			text, err := h.fill(refs[0], value)
			if err != nil {
				return 0, err
			}
			return 0, seen(h, text, value)
		}, nil
	}
}

// choosing chooses another option of a select each time.
func choosing(c *comparison, h hand) (doing, error) {
	refs, err := c.at(h, "/choice", [2]string{"combobox", "Day"})
	if err != nil {
		return nil, err
	}
	return func(round int) (time.Duration, error) {
		day := []string{"Tuesday", "Wednesday", "Thursday", "Friday"}[round%4]
		text, err := h.choose(refs[0], day)
		if err != nil {
			return 0, err
		}
		return 0, seen(h, text, fmt.Sprintf("Choice %d: %s", round+1, day))
	}, nil
}

// pressing presses a key that the page hears.
func pressing(c *comparison, h hand) (doing, error) {
	if _, err := c.at(h, "/keys"); err != nil {
		return nil, err
	}
	return func(round int) (time.Duration, error) {
		text, err := h.press("ArrowDown")
		if err != nil {
			return 0, err
		}
		return 0, seen(h, text, fmt.Sprintf("Key %d: ArrowDown", round+1))
	}, nil
}

// hovering moves the pointer from one button to another, which shows a hint.
func hovering(c *comparison, h hand) (doing, error) {
	refs, err := c.at(h, "/hints", [2]string{"button", "Copy"}, [2]string{"button", "Paste"})
	if err != nil {
		return nil, err
	}
	return func(round int) (time.Duration, error) {
		text, err := h.hover(refs[round%2])
		if err != nil {
			return 0, err
		}
		return 0, seen(h, text, fmt.Sprintf("Hint %d for", round+1))
	}, nil
}

// looking takes a snapshot of a page that is open. It must show a text.
func looking(path, sees string) func(c *comparison, h hand) (doing, error) {
	return func(c *comparison, h hand) (doing, error) {
		if _, err := c.at(h, path); err != nil {
			return nil, err
		}
		return func(int) (time.Duration, error) {
			text, err := h.look()
			if err == nil && (len(text) < 100 || !strings.Contains(text, sees)) {
				err = fmt.Errorf("it did not see %q: %.2000s", sees, text)
			}
			return 0, err
		}, nil
	}
}

// going opens a page and reads it.
func going(path, sees string) func(c *comparison, h hand) (doing, error) {
	return func(c *comparison, h hand) (doing, error) {
		return func(int) (time.Duration, error) {
			text, err := h.open(c.site.own + path)
			if err != nil {
				return 0, err
			}
			return 0, seen(h, text, sees)
		}, nil
	}
}

func evaluating(c *comparison, h hand) (doing, error) {
	if _, err := c.at(h, "/small"); err != nil {
		return nil, err
	}
	return func(round int) (time.Duration, error) {
		text, err := h.evaluate(fmt.Sprintf("1000 + %d", round))
		if err == nil && !strings.Contains(text, strconv.Itoa(1000+round)) {
			err = fmt.Errorf("it answered %s", text)
		}
		return 0, err
	}, nil
}

func filingForm(c *comparison, h hand) (doing, error) {
	refs, err := c.at(h, "/small", [2]string{"textbox", "Name"}, [2]string{"textbox", "Town"}, [2]string{"textbox", "Note"})
	if err != nil {
		return nil, err
	}
	return func(round int) (time.Duration, error) {
		last := fmt.Sprintf("Note %d", round)
		text, err := h.form([]field{{refs[0], "Name", fmt.Sprintf("Name %d", round)}, {refs[1], "Town", fmt.Sprintf("Town %d", round)}, {refs[2], "Note", last}})
		if err != nil {
			return 0, err
		}
		return 0, seen(h, text, last)
	}, nil
}

var appeared = regexp.MustCompile(`Ready (\d{13})`)

// awaiting presses a button after which another appears 300 ms later, waits
// for that, and says how long after its appearing the wait was over.
func awaiting(c *comparison, h hand) (doing, error) {
	return func(int) (time.Duration, error) {
		refs, err := c.at(h, "/late", [2]string{"button", "Start"})
		if err != nil {
			return 0, err
		}
		if _, err := h.click(refs[0], false); err != nil {
			return 0, err
		}
		if _, err := h.await("Ready"); err != nil {
			return 0, err
		}
		known := time.Now()
		text, err := h.look()
		if err != nil {
			return 0, err
		}
		at := appeared.FindStringSubmatch(text)
		if at == nil {
			return 0, fmt.Errorf("the button is not in\n%s", text)
		}
		ms, _ := strconv.ParseInt(at[1], 10, 64)
		return max(known.Sub(time.UnixMilli(ms)), time.Microsecond), nil
	}, nil
}

func shooting(c *comparison, h hand) (doing, error) {
	if _, err := c.at(h, "/small"); err != nil {
		return nil, err
	}
	return func(int) (time.Duration, error) {
		size, err := h.shoot()
		if err == nil && size < 1000 {
			err = fmt.Errorf("a picture of %d bytes", size)
		}
		return 0, err
	}, nil
}

const (
	rowEvaluate      = "evaluate"
	rowClick         = "click, small page"
	rowSelect        = "select"
	rowPress         = "press a key"
	rowHover         = "hover"
	rowFill          = "fill, small page"
	rowFillScript    = "fill, form with a script"
	rowFillControl   = "fill, controlled field"
	rowFillDelegated = "fill, 50 delegated listeners"
	rowForm          = "form of three"
	rowClickTable    = "click, 500-row table"
	rowFillTable     = "fill, 500-row table"
	rowLook          = "snapshot, small page"
	rowLookTable     = "snapshot, 500-row table"
	rowLookNews      = "snapshot, news page"
	rowLookFrames    = "snapshot, page with four frames"
	rowLookLarge     = "snapshot, 50,000 nodes"
	rowGo            = "navigate, small page"
	rowGoTable       = "navigate, 500-row table"
	rowNews          = "navigate, news page"
	rowLate          = "late element, after it appeared"
	rowShoot         = "screenshot"
)

const many = 1000 // rounds: as many as -rounds says

var rows = []row{
	{rowEvaluate, many, evaluating},
	{rowClick, many, clicking("/small")},
	{rowSelect, many, choosing},
	{rowPress, many, pressing},
	{rowHover, many, hovering},
	{rowFill, many, filling("/small")},
	{rowFillScript, many, filling("/submit")},
	{rowFillControl, many, filling("/controlled")},
	{rowFillDelegated, many, filling("/delegated")},
	{rowForm, many, filingForm},
	{rowClickTable, many, clicking("/table")},
	{rowFillTable, many, filling("/table")},
	{rowLook, many, looking("/small", "Add one")},
	{rowLookTable, many, looking("/table", "Orders")},
	{rowLookNews, many, looking("/news", "The Morning Paper")},
	{rowLookFrames, many, looking("/embedding", "Panel 4")},
	{rowLookLarge, 5, looking("/50k", "Project")},
	{rowGo, many, going("/small", "Small page")},
	{rowGoTable, many, going("/table", "Orders")},
	{rowNews, many, going("/news", "The Morning Paper")},
	{rowLate, 9, awaiting},
	{rowShoot, many, shooting},
}
