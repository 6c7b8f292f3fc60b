// node run.mjs <generation> <kind> <journey>…: a client goes on journeys, one
// after the other. A journey that fails ends the program.
import { connect } from "./clients.mjs";
import * as journeys from "./journeys.mjs";
import { everyTool } from "./tools.mjs";

const all = { ...journeys, everyTool };
const [generation, kind, ...names] = process.argv.slice(2);
for (const name of names) {
  const a = name === "revisions" ? undefined : await connect(Number(generation), kind);
  await all[name](a);
  await a?.client.close();
  console.log(`${name} ok`);
}
console.log("ok");
process.exit(0);
