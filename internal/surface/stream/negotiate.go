package stream

import (
	"context"
	"strings"

	"github.com/pion/webrtc/v4"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

var errNoPeer = fault.New(fault.InvalidRequest, "there is no media connection").Hinted("send signal/request first")

func badDescription(err error) error {
	return fault.New(fault.InvalidRequest, "the session description is not valid here").Hinted("answer the last offer").Because(err)
}

// description reads a session description.
func description(m message, kind webrtc.SDPType) (webrtc.SessionDescription, error) {
	var p sdpPayload
	if err := read(m, &p); err != nil {
		return webrtc.SessionDescription{}, err
	}
	if len(p.SDP) > maxSDP || strings.Count(p.SDP, mediaSection) > maxSections {
		return webrtc.SessionDescription{}, fault.New(fault.InvalidRequest, "the session description is too long").
			Hinted("send at most %d bytes and %d sections", maxSDP, maxSections)
	}
	return webrtc.SessionDescription{Type: kind, SDP: p.SDP}, nil
}

func (v *viewer) acceptAnswer(m message) error {
	return v.accept(m, webrtc.SDPTypeAnswer, func(*peer) error { return nil })
}

// accept gives a description to the peer and calls next, which may negotiate too.
func (v *viewer) accept(m message, kind webrtc.SDPType, next func(*peer) error) error {
	theirs, err := description(m, kind)
	if err != nil {
		return err
	}
	p := v.currentPeer()
	if p == nil {
		return errNoPeer
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.pc.SetRemoteDescription(theirs); err != nil {
		return badDescription(err)
	}
	return next(p)
}

// acceptOffer answers an offer of the viewer, which Neko's clients make when they
// change what they receive.
func (v *viewer) acceptOffer(m message) error {
	return v.accept(m, webrtc.SDPTypeOffer, func(p *peer) error {
		answer, err := p.pc.CreateAnswer(nil)
		if err != nil {
			return badDescription(err)
		}
		if err := p.pc.SetLocalDescription(answer); err != nil {
			return badDescription(err)
		}
		v.send(eventAnswer, sdpPayload{SDP: p.pc.LocalDescription().SDP})
		return nil
	})
}

// acceptCandidate takes an address of the viewer. None is contacted: the viewer's
// checks say where it is.
func (v *viewer) acceptCandidate(m message) error {
	var candidate webrtc.ICECandidateInit
	if err := read(m, &candidate); err != nil {
		return err
	}
	if len(candidate.Candidate) > maxTyped {
		return fault.New(fault.InvalidRequest, "the candidate is too long")
	}
	if v.currentPeer() == nil {
		return errNoPeer
	}
	return nil
}

// restartPeer makes a new offer with other names and passwords for the checks of
// the connection, after the viewer's network changed.
func (v *viewer) restartPeer(message) error {
	if !v.requests.Allow() {
		return fault.New(fault.LimitReached, "connections are restarted too often").Hinted("wait some seconds before the next request")
	}
	p := v.currentPeer()
	if p == nil {
		return errNoPeer
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	ctx, cancel := context.WithTimeout(v.ctx, v.server.limits.call)
	defer cancel()
	if err := p.negotiate(ctx, &webrtc.OfferOptions{ICERestart: true}); err != nil {
		return badDescription(err)
	}
	v.send(eventRestart, sdpPayload{SDP: p.pc.LocalDescription().SDP})
	return nil
}
