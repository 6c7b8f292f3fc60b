// A program on the client that openapi-typescript and openapi-fetch make of the
// description. It compiles only while what is optional there is optional here,
// and while answers, faults and arguments have the types that they have there.
import createClient from "openapi-fetch";
import type { paths } from "./openapi.js";

const { BASE, TOKEN, SITE } = process.env;
const client = createClient<paths>({ baseUrl: BASE!, headers: { Authorization: `Bearer ${TOKEN}` } });
const fail = (answer: { error?: unknown; response: Response }) => new Error(`${answer.response.status} ${JSON.stringify(answer.error)}`);

const started = await client.POST("/v1/sessions", { body: {} });
if (!started.data || !("id" in started.data)) throw fail(started);
const header = { "Glovebox-Session": started.data.id };

const went = await client.POST("/v1/browser/navigate", { params: { header }, body: { url: `${SITE}/lab/controls` } });
if (!went.data || !("title" in went.data) || went.data.title !== "Controls") throw fail(went);

const clicked = await client.POST("/v1/browser/click", { params: { header }, body: { role: "button", name: "Show 0" } });
if (!clicked.data || !("ok" in clicked.data) || !clicked.data.ok) throw fail(clicked);

const missing = await client.POST("/v1/browser/click", { params: { header }, body: { selector: "#nothing", timeout: 300 } });
if (missing.error?.code !== "not_found") throw fail(missing);

const refused = await client.POST("/v1/browser/click", { params: { header }, body: { selector: "#nothing", place: "top" } });
// @ts-expect-error a code that there is not
if (refused.error?.code === "no_such_code") throw fail(refused);
if (refused.error?.code !== "invalid_request") throw fail(refused);

const ended = await client.POST("/v1/sessions/{session}/close", { params: { path: { session: started.data.id } } });
if (!ended.data || !("state" in ended.data) || ended.data.state !== "closed") throw fail(ended);
console.log("ok");
