// What the journeys share: where the gateway is, and checks that end the
// program when they fail.
import assert from "node:assert/strict";

export { assert };
export const { BASE, TOKEN, SITE, SESSION } = process.env;
export const headers = { Authorization: `Bearer ${TOKEN}` };
export const socket = BASE.replace("http", "ws") + (SESSION ? `/v1/sessions/${SESSION}/browser/cdp` : "/v1/browser/cdp");

// verb makes a call over REST, beside the client of the protocol.
export async function verb(name, args = {}) {
  const res = await fetch(`${BASE}/v1/verbs/${name}`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ session: SESSION, args }),
  });
  return await res.json();
}

// refused expects that the gateway says no, and why.
export async function refused(promise, why) {
  await assert.rejects(promise, (err) => {
    assert.match(String(err.message), why);
    return true;
  });
}
