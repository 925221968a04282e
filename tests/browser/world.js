// A Redis, a store and the daemon, with something to decide.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const program = resolve(process.env.FEEDBACKD);

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

export async function until(what, check) {
  const end = Date.now() + 60_000;
  while (Date.now() < end) {
    if (await check()) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`waited in vain until ${what}`);
}

const DIFF = `--- a/src/api/handler.py
+++ b/src/api/handler.py
@@ -10,4 +10,7 @@ def fetch(key):
 def fetch(key):
-    return client.get(key)
+    try:
+        return client.get(key, timeout=5)
+    except TimeoutError as error:
+        raise ServiceError(key) from error
 
 def put(key):
`;

// `settings` are variables for the daemon beside those that it needs.
export async function world(settings = {}) {
  const directory = mkdtempSync(join(tmpdir(), "feedbackd-browser-"));
  const [redisPort, httpPort] = [await freePort(), await freePort()];
  const env = {
    PATH: process.env.PATH,
    HOME: directory,
    FEEDBACKD__REDIS__URL: `redis://127.0.0.1:${redisPort}/0`,
    FEEDBACKD__STORE__PATH: join(directory, "store.git"),
    FEEDBACKD__STORE__WEB_URL: "https://forge.example.org/store",
    FEEDBACKD__STATE__DIR: join(directory, "state"),
    FEEDBACKD__HTTP__LISTEN: `127.0.0.1:${httpPort}`,
    FEEDBACKD__HTTP__PUBLIC_URL: `http://localhost:${httpPort}`,
    FEEDBACKD__EFFECT__STABILIZING_DAYS: "0",
    // Only what is similar comes together by itself: the rest is to be asked about.
    FEEDBACKD__EVALUATOR__GROUP_THRESHOLD: "0.95",
    GIT_AUTHOR_NAME: "Ana", GIT_AUTHOR_EMAIL: "ana@example.org",
    GIT_COMMITTER_NAME: "Ana", GIT_COMMITTER_EMAIL: "ana@example.org",
    ...settings,
  };
  const options = { env, cwd: directory, stdio: ["ignore", "pipe", "pipe"] };
  const run = (command, ...words) => execFileSync(command, words, options).toString();
  const feedbackd = (...words) => run(program, ...words);
  const redis = spawn("redis-server", ["--port", `${redisPort}`, "--bind", "127.0.0.1", "--save", ""], options);
  const cli = (...words) => run("redis-cli", "-p", `${redisPort}`, ...words);
  await until("Redis answers", () => { try { return cli("PING").includes("PONG"); } catch { return false; } });
  feedbackd("init");
  run("git", "clone", "-q", env.FEEDBACKD__STORE__PATH, "clone");
  const key = (who) => join(directory, `key-${who}`);
  const people = ["ana", "ben", "eva"].map((id) => {
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key(id));
    return `  - {id: ${id}, roles: [approver], ssh_public_keys: ["${readFileSync(`${key(id)}.pub`, "utf8").trim()}"]}\n`;
  }).join("");
  writeFileSync(join(directory, "clone", "reviewers.yaml"), `reviewers:\n${people}`);
  run("git", "-C", "clone", "commit", "-qam", "Ana, Ben and Eva may approve");
  run("git", "-C", "clone", "push", "-q", "origin", "HEAD:main");
  const daemon = spawn(program, ["serve"], { ...options, stdio: "ignore" });
  const address = `http://127.0.0.1:${httpPort}`;
  await until("the daemon is ready", async () => (await fetch(`${address}/ready`).catch(() => ({}))).ok);

  let number = 0;
  const day = 86_400_000;
  function decide(who, verdict, comment, more = {}) {
    number += 1;
    const event = {
      decision_id: `dec-${number}`, gate_id: "HITL-4", epic_id: "EP-1", task_id: `T-${number}`, decision: verdict,
      reviewer_id: who, timestamp: new Date(Date.now() - 20 * day + number * 60_000).toISOString(),
      review_duration_seconds: 40, ...more,
    };
    if (comment) event.reviewer_comment = comment;
    cli("XADD", "asdlc:events:hitl_decisions", "*", "data", JSON.stringify(event));
  }
  const settled = () => until("everything is recorded", () => {
    const groups = cli("XINFO", "GROUPS", "asdlc:events:hitl_decisions");
    return /lag\n0\n?/.test(groups) && /pending\n0\n/.test(groups);
  });
  const diff = { correction_diff: DIFF };
  const said = {
    errors: "API handler lacks error handling <script>alert(1)</script>",
    tests: "Please add unit tests for the new function",
    logs: "Do not log passwords or tokens",
    sql: "Use parameterized queries instead of building SQL by concatenation",
    docs: "Public functions need a docstring",
  };
  for (const text of Object.values(said)) {
    for (const who of ["cem", "dan", "fay"]) decide(who, "REJECTED", text, diff);
    for (let n = 0; n < 4; n += 1) decide("gil", "APPROVED", undefined);
  }
  decide("hal", "APPROVED", "Error handling is not needed in the API handler");
  // What may ask for the same or not: people are asked.
  const unsure = [
    ["cem", "Add a retry when the call to the API fails"], ["dan", "Please add a retry for failed API calls"],
    ["fay", "The call in the API handler may fail"], ["dan", "The names in this module say little"],
    ["fay", "Rename the variables so that one understands them"], ["gil", "Better names for these functions, please"],
  ];
  for (const [who, text] of unsure) decide(who, "REJECTED", text);
  decide("ivy", "APPROVED_WITH_CHANGES", "The colour of the header should be teal");
  cli("XADD", "asdlc:events:hitl_decisions", "*", "data", "{\"decision_id\": 7}");
  await settled();
  const token = (who) => JSON.parse(feedbackd("--json", "token", "create", "--as", who, "--scope", "decide", "--name", "browser")).token;
  return {
    address, feedbackd, token, settled,
    // Somebody's signature of a text, made with the command that the page shows.
    sign(who, text) {
      const file = join(directory, "to-sign");
      writeFileSync(file, text);
      rmSync(`${file}.sig`, { force: true });
      run("ssh-keygen", "-Y", "sign", "-n", "feedbackd-review", "-f", key(who), file);
      return readFileSync(`${file}.sig`, "utf8");
    },
    git: (...words) => run("git", "-C", env.FEEDBACKD__STORE__PATH, ...words),
    async end() {
      daemon.kill("SIGTERM");
      await new Promise((done) => (daemon.exitCode === null ? daemon.once("exit", done) : done()));
      redis.kill("SIGTERM");
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
