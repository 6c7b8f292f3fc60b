// Package bridge is the wire between gateway and guest. The gateway owns a
// directory for each box with two Unix sockets on which it listens; the guest
// dials out, so nothing in a box can be reached from beside it. Over
// bridge.sock runs a multiplexed connection on which the guest answers HTTP,
// every request with a token of its own; over egress.sock go the connections
// the browser makes, as plain bytes.
//
// The gateway's side is Link, the guest's are Dialer, Endpoint and Forward.
package bridge
