// The pictures in README.md: what reviewers ask for, and a proposal, of the repository of its example.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import { until } from "./world.js";

const program = resolve(process.env.FEEDBACKD);
const here = new URL("../../", import.meta.url).pathname;
const directory = mkdtempSync(join(tmpdir(), "feedbackd-pictures-"));
const port = 19475;
const env = {
  PATH: process.env.PATH, HOME: directory,
  FEEDBACKD__REDIS__URL: `redis://127.0.0.1:${port + 1}/0`,
  FEEDBACKD__STORE__PATH: join(directory, "store.git"),
  FEEDBACKD__STATE__DIR: join(directory, "state"),
  FEEDBACKD__HTTP__LISTEN: `127.0.0.1:${port}`,
};
const options = { env, cwd: directory, stdio: ["ignore", "pipe", "inherit"] };
const feedbackd = (...words) => execFileSync(program, words, options).toString();

const lines = readFileSync(join(here, "tests/data/shop_reviews.tsv"), "utf8").split("\n").filter((line) => line && !line.startsWith("#"));
const events = lines.map((line, n) => {
  const [pull, by, day, file, at, text] = line.split("\t");
  return JSON.stringify({
    decision_id: `github-octo-shop-${pull}-review-${5000 + n}`, gate_id: "HITL-4", decision: "APPROVED_WITH_CHANGES", reviewer_id: by,
    timestamp: `${day}T09:00:00Z`, agent: "coding-agent", task_id: `octo/shop#${pull}`, reviewer_comment: text, file, line: Number(at),
  });
});
writeFileSync(join(directory, "history.jsonl"), events.join("\n") + "\n");
const running = [spawn("redis-server", ["--port", `${port + 1}`, "--bind", "127.0.0.1", "--save", ""], { ...options, stdio: "ignore" })];
try {
  feedbackd("init");
  feedbackd("replay", "history.jsonl");
  feedbackd("roster", "add", "ana=Ana Example", "ben=Ben Example");
  running.push(spawn(program, ["serve"], { ...options, stdio: "ignore" }));
  const address = `http://127.0.0.1:${port}`;
  await until("the daemon is ready", async () => (await fetch(`${address}/ready`).catch(() => ({}))).ok);
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1120, height: 760 }, colorScheme: "light", deviceScaleFactor: 1.5 });
  await page.goto(`${address}/demands`);
  await page.screenshot({ path: join(here, "docs/demands.png") });
  await page.goto(`${address}/proposals`);
  await page.locator('a[href^="/proposals/RULE-"]').first().click();
  await page.screenshot({ path: join(here, "docs/proposal.png") });
  await browser.close();
} finally {
  running.forEach((process) => process.kill());
  rmSync(directory, { recursive: true, force: true });
}
