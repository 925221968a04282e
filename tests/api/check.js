// The OpenAPI document held against its standard and two sets of lints; then every call with made-up input, as a person, with
// ids that are there, and as nobody.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { world } from "../browser/world.js";

const here = import.meta.dirname;
const installed = join(here, "node_modules/.bin");
const tools = process.env.TOOLS;
const cases = process.env.API_CASES ?? "25";
const PASSES = ["2xx", "3xx", "401", "403", "404", "409", "412", "422", "428"];
const REFUSES = ["400", "401", "403", "404", "405", "406", "409", "412", "415", "422", "428", "429", "5xx"];
const failed = [];

async function step(name, program, ...words) {
  console.log(`\n== ${name}`);
  // What a program leaves where it runs goes to the build's folder.
  const [status] = await once(spawn(program, words, { cwd: tools, stdio: "inherit" }), "exit");
  if (status !== 0) failed.push(name);
}

/** The first id of a list, to be put where a path names one. */
async function first(there, token, path, list, id) {
  const answer = await fetch(`${there.address}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
  const found = (await answer.json())[list][0]?.[id];
  if (!found) throw new Error(`${path} is empty`);
  return found;
}

// A limit of requests would hide what the calls answer.
const there = await world({ FEEDBACKD__HTTP__REQUESTS_PER_SECOND: "100000" });
try {
  const token = there.token("ana");
  const address = `${there.address}/api/v1/openapi.json`;
  const document = join(tools, "openapi.json");
  const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
  writeFileSync(document, await answer.text());

  await step("openapi-spec-validator", join(tools, "venv/bin/openapi-spec-validator"), document);
  await step("spectral", join(installed, "spectral"), "lint", "--ruleset", join(here, ".spectral.yaml"), "--fail-severity", "warn", document);
  if (existsSync(join(installed, "vacuum"))) {
    await step("vacuum", join(installed, "vacuum"), "lint", "--details", "--fail-severity", "warn", document);
  } else {
    console.log("\n== vacuum\nvacuum is not installed (its package fetches a program from GitHub): only spectral lints the document");
  }

  const ids = {
    proposal: await first(there, token, "/proposals", "proposals", "proposal_id"),
    rule: await first(there, token, "/proposals", "proposals", "proposal_id"),
    group: await first(there, token, "/groups", "groups", "cluster_id"),
    feedback: await first(there, token, "/feedback", "feedback", "feedback_id"),
  };
  const written = JSON.parse(readFileSync(document, "utf8"));
  const calls = Object.entries(written.paths).flatMap(([path, item]) => Object.entries(item).map(([verb, call]) => ({ path, verb, call })));
  // No schema says which cursors there are, nor that one of two parameters must be there.
  const unsaid = calls.filter(({ call }) => call.parameters.some(({ name }) => name === "cursor" || name === "threshold"));
  const settings = (name, parameters) => {
    const path = join(tools, `${name}.toml`);
    const lines = [
      "[parameters]", ...Object.entries(parameters).map(([part, id]) => `"path.${part}" = ${JSON.stringify(id)}`),
      // 412, 422 and 428: that a body has the right shape does not make what it decides possible.
      "[checks.positive_data_acceptance]", `expected-statuses = ${JSON.stringify(PASSES)}`,
      // The usual ones and 412: a stale If-Match is refused whatever else is wrong.
      "[checks.negative_data_rejection]", `expected-statuses = ${JSON.stringify(REFUSES)}`,
      ...unsaid.flatMap(({ call }) => [
        "[[operations]]", `include-operation-id = ${JSON.stringify(call.operationId)}`,
        `checks.positive_data_acceptance.expected-statuses = ${JSON.stringify([...PASSES, "400"])}`,
      ]),
      // What an action came to is read as on the stream: a part that cannot be read is left out, the rest counts.
      "[[operations]]", 'include-operation-id = "suggestActions"', "checks.negative_data_rejection.enabled = false",
    ];
    writeFileSync(path, `${lines.join("\n")}\n`);
    return path;
  };
  // More workers than one fail within schemathesis itself, on Python 3.11.
  const fuzz = (name, config, ...more) => step(
    name, join(tools, "venv/bin/schemathesis"), "--config-file", config, "run", document, "--url", there.address,
    "--max-examples", cases, "--generation-database", "none", "--request-timeout", "40", "--warnings", "off", "--no-color", ...more,
  );
  const person = ["-H", `Authorization:Bearer ${token}`];
  await fuzz("fuzz as a person", settings("made-up", {}), ...person);
  await fuzz("fuzz with ids that are there", settings("known", ids), ...person);
  // Of one who may nothing there is nothing to accept: what is asked is that each answer is as the document says.
  await fuzz("fuzz as nobody", settings("nobody", ids), "--exclude-checks", "negative_data_rejection,missing_required_header,unsupported_method");
  let open = 0;
  for (const { path, verb } of calls) {
    for (const headers of [{}, { authorization: "Bearer of-nobody-at-all" }]) {
      const { status, headers: told } = await fetch(there.address + path.replaceAll(/\{.*?\}/g, "x"), { method: verb, headers });
      if (status === 401 && told.get("www-authenticate")) continue;
      console.log(`${verb} ${path}: ${status}`);
      open += 1;
    }
  }
  console.log(`\n== 401 without a token, and with a wrong one\n${calls.length} calls, ${open} answered otherwise`);
  if (open > 0) failed.push("401 without a token");
} finally {
  await there.end();
}
if (failed.length > 0) {
  console.log(`\nfailed: ${failed.join(", ")}`);
  process.exit(1);
}
console.log("\nall passed");
