// The official clients, both generations of them, under one set of names.
import assert from "node:assert/strict";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HTTP1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { Client as Client2, StreamableHTTPClientTransport as HTTP2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";

export { assert };
export const { BASE, AGENT, OPERATOR, SITE, BINARY, CONFIG } = process.env;
const info = { name: "official", version: "1" };
const patience = 1_800_000; // ms, of one call; whoever runs this has a limit

const stdio = () => ({ command: BINARY, args: ["mcp", "--config", CONFIG, "--tools", "all"], stderr: "inherit" });
const http = (token) => ({ requestInit: { headers: { Authorization: `Bearer ${token}` } } });
const endpoint = new URL("/mcp?tools=all", BASE);

// connect returns a connected client: of generation 1 or 2, over stdio or
// http, of a revision of the protocol (the newest it knows when absent).
export async function connect(generation, kind, { revision, token = AGENT, capabilities = {}, on } = {}) {
  const [Client, transport, options] = generation === 1
    ? [Client1, kind === "stdio" ? new Stdio1(stdio()) : new HTTP1(endpoint, http(token)), {}]
    : [Client2, kind === "stdio" ? new Stdio2(stdio()) : new HTTP2(endpoint, http(token)), negotiation(revision)];
  const client = new Client(info, { capabilities, ...options });
  on?.(client);
  await client.connect(transport);
  const call = (name, args = {}, options = {}) => {
    const how = { timeout: patience, maxTotalTimeout: patience, resetTimeoutOnProgress: true, ...options };
    const params = { name, arguments: args };
    return generation === 1 ? client.callTool(params, CallToolResultSchema, how) : client.callTool(params, how);
  };
  return { client, transport, call, kind, generation, revision };
}

const modern = "2026-07-28"; // first revision that a client finds by asking, not by initialize
function negotiation(revision) {
  if (!revision) return { versionNegotiation: { mode: "auto" } };
  if (revision >= modern) return { versionNegotiation: { mode: { pin: revision } } };
  return { supportedProtocolVersions: [revision] };
}

// rest makes a call of the operator over REST.
export async function rest(method, path, body) {
  const res = await fetch(new URL(path, BASE), {
    method,
    headers: { Authorization: `Bearer ${OPERATOR}`, ...(body && { "Content-Type": "application/json" }) },
    body: body && JSON.stringify(body),
  });
  const answer = await res.json();
  assert.ok(res.ok, `${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

// until asks again and again until the answer is truthy, and returns it.
export async function until(what, ask) {
  for (const end = Date.now() + patience; Date.now() < end; await new Promise((next) => setTimeout(next, 50))) {
    const got = await ask();
    if (got) return got;
  }
  assert.fail(`waited ${patience} ms for ${what}`);
}

export const text = (result) => result.content.filter((c) => c.type === "text").map((c) => c.text).join("\n");
