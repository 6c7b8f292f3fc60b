package source

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"filippo.io/age"
	"filippo.io/age/armor"
)

// The format is that of SOPS (getsops.io/docs, "Encryption protocol"): each value
// is encrypted by itself under one data key, with the names that lead to it, and
// a MAC is over all values in their order. The data key is encrypted for each
// recipient. Errors here are sentences without a subject, for faults; they never
// have a value.

var sealedValue = regexp.MustCompile(`^ENC\[AES256_GCM,data:([^,]*),iv:([^,]+),tag:([^,]+),type:(str|int|float|bool)\]$`)

const nonceBytes = 32 // SOPS's own, not GCM's usual 12

// unsealed decrypts a whole file and verifies its MAC.
func unsealed(text []byte, isJSON bool, keys []age.Identity) (branch, error) {
	tree, err := treeOf(text, isJSON)
	if err != nil {
		return nil, err
	}
	about, ok := tree.value("sops").(branch)
	if !ok {
		return nil, errors.New("has a file that SOPS did not encrypt")
	}
	rules, err := rulesOf(about)
	if err != nil {
		return nil, err
	}
	key, err := dataKey(about, keys)
	if err != nil {
		return nil, err
	}
	box, err := aes.NewCipher(key)
	if err != nil {
		return nil, errors.New("has a data key of the wrong length")
	}
	u := unsealer{rules: rules, mac: sha512.New()}
	if u.gcm, err = cipher.NewGCMWithNonceSize(box, nonceBytes); err != nil {
		return nil, errors.New("cannot be decrypted")
	}
	plain, err := u.branch(tree.without("sops"), nil)
	if err != nil {
		return nil, err
	}
	return plain, u.verify(about)
}

// dataKey is the key of the values, which one of the identities opens.
func dataKey(about branch, keys []age.Identity) ([]byte, error) {
	recipients, _ := about.value("age").([]any)
	for _, r := range recipients {
		one, _ := r.(branch)
		sealed, _ := one.value("enc").(string)
		plain, err := age.Decrypt(armor.NewReader(strings.NewReader(sealed)), keys...)
		if err != nil {
			continue // it is for another
		}
		if key, err := io.ReadAll(io.LimitReader(plain, 64)); err == nil {
			return key, nil
		}
	}
	return nil, errors.New("has a file that is not encrypted for this age key")
}

// rules say which values are encrypted. Without any, all are.
type rules struct {
	plainSuffix, sealedSuffix string
	plain, sealed             *regexp.Regexp
}

// rulesOf refuses rules under which the MAC would not cover all values.
func rulesOf(about branch) (r rules, err error) {
	for _, name := range []string{"mac_only_encrypted", "unencrypted_comment_regex", "encrypted_comment_regex", "key_groups"} {
		if v := about.value(name); v != nil && v != false && v != "" {
			return r, fmt.Errorf("uses %s, which is not supported here", name)
		}
	}
	r.plainSuffix, _ = about.value("unencrypted_suffix").(string)
	r.sealedSuffix, _ = about.value("encrypted_suffix").(string)
	for name, to := range map[string]**regexp.Regexp{"unencrypted_regex": &r.plain, "encrypted_regex": &r.sealed} {
		if text, _ := about.value(name).(string); text != "" {
			if *to, err = regexp.Compile(text); err != nil {
				return r, fmt.Errorf("has an %s that is none", name)
			}
		}
	}
	return r, nil
}

// seal reports whether the value that names lead to is encrypted.
func (r rules) seal(names []string) bool {
	any := func(is func(string) bool) bool {
		for _, name := range names {
			if is(name) {
				return true
			}
		}
		return false
	}
	sealed := r.plainSuffix == "" || !any(func(n string) bool { return strings.HasSuffix(n, r.plainSuffix) })
	if r.sealedSuffix != "" {
		sealed = any(func(n string) bool { return strings.HasSuffix(n, r.sealedSuffix) })
	}
	if r.plain != nil && any(r.plain.MatchString) {
		sealed = false
	}
	if r.sealed != nil {
		sealed = any(r.sealed.MatchString)
	}
	return sealed
}

// unsealer decrypts a tree, value by value.
type unsealer struct {
	rules rules
	gcm   cipher.AEAD
	mac   hash.Hash
}

func (u *unsealer) branch(b branch, names []string) (branch, error) {
	plain := make(branch, 0, len(b))
	for _, p := range b {
		value, err := u.value(p.value, append(names[:len(names):len(names)], p.name))
		if err != nil {
			return nil, err
		}
		plain = append(plain, pair{p.name, value})
	}
	return plain, nil
}

func (u *unsealer) value(value any, names []string) (plain any, err error) {
	switch v := value.(type) {
	case nil:
		return nil, nil
	case branch:
		return u.branch(v, names)
	case []any:
		return u.list(v, names)
	}
	if u.rules.seal(names) {
		text, is := value.(string)
		if !is {
			return nil, errors.New("has a value that should be encrypted and is not")
		}
		if value, err = u.open(text, strings.Join(names, ":")+":"); err != nil {
			return nil, err
		}
	}
	u.mac.Write(macBytes(value))
	return value, nil
}

// list leaves comments out, which SOPS keeps in lists, and not in the MAC.
func (u *unsealer) list(all []any, names []string) (any, error) {
	plain := []any{}
	for _, each := range all {
		if text, is := each.(string); is && strings.HasPrefix(text, "ENC[") && strings.HasSuffix(text, ",type:comment]") {
			continue
		}
		value, err := u.value(each, names)
		if err != nil {
			return nil, err
		}
		plain = append(plain, value)
	}
	return plain, nil
}

// open decrypts one value.
func (u *unsealer) open(text, names string) (any, error) {
	if text == "" {
		return "", nil // SOPS leaves what is empty as it is; the MAC has it
	}
	part := sealedValue.FindStringSubmatch(text)
	if part == nil {
		return nil, errors.New("has a value that should be encrypted and is not")
	}
	var raw [3][]byte
	for i := range raw {
		var err error
		if raw[i], err = base64.StdEncoding.DecodeString(part[i+1]); err != nil {
			return nil, errors.New("has a value that is damaged")
		}
	}
	if len(raw[1]) != nonceBytes {
		return nil, errors.New("has a value that is damaged")
	}
	plain, err := u.gcm.Open(nil, raw[1], append(raw[0], raw[2]...), []byte(names))
	if err != nil {
		return nil, errors.New("has a value that was changed")
	}
	return typed(string(plain), part[4])
}

func typed(text, kind string) (value any, err error) {
	switch kind {
	case "int":
		value, err = strconv.ParseInt(text, 10, 64)
	case "float":
		value, err = strconv.ParseFloat(text, 64)
	case "bool":
		value, err = strconv.ParseBool(text)
	default:
		return text, nil
	}
	if err != nil {
		return nil, errors.New("has a value that is not of its type")
	}
	return value, nil
}

// macBytes is a value as the MAC has it.
func macBytes(value any) []byte {
	switch v := value.(type) {
	case string:
		return []byte(v)
	case int64:
		return strconv.AppendInt(nil, v, 10)
	case float64:
		return strconv.AppendFloat(nil, v, 'f', -1, 64)
	case bool:
		if v {
			return []byte("True")
		}
		return []byte("False")
	}
	return nil
}

// verify compares the MAC of all values with the one that was kept, encrypted
// together with the time of the last change.
func (u *unsealer) verify(about branch) error {
	changed, _ := about.value("lastmodified").(string)
	at, err := time.Parse(time.RFC3339, changed)
	if err != nil {
		return errors.New("has no time of its last change")
	}
	sealed, _ := about.value("mac").(string)
	kept, err := u.open(sealed, at.Format(time.RFC3339))
	text, _ := kept.(string)
	computed := fmt.Sprintf("%X", u.mac.Sum(nil))
	if err != nil || subtle.ConstantTimeCompare([]byte(text), []byte(computed)) != 1 {
		return errors.New("was changed: its MAC does not match")
	}
	return nil
}
