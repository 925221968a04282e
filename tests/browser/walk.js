// Every page in both colour schemes and at a phone's width, held against WCAG 2.2 AA; then a daily review, by clicks.
import { AxeBuilder } from "@axe-core/playwright";
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { chromium } from "playwright-core";
import { provider } from "./provider.js";
import { until, world } from "./world.js";

const shots = new URL("../../target/browser/", import.meta.url).pathname;
mkdirSync(shots, { recursive: true });
const knows = await provider("ana@example.org");
const there = await world({
  FEEDBACKD__HTTP__OIDC__ISSUER: knows.issuer, FEEDBACKD__HTTP__OIDC__CLIENT_ID: "feedbackd",
  FEEDBACKD__HTTP__OIDC__PEOPLE: "ana@example.org=ana",
});
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
const problems = [];
let looked = 0;

async function visitor(scheme, width, javaScriptEnabled = true, { address } = there) {
  const context = await browser.newContext({ baseURL: address, colorScheme: scheme, javaScriptEnabled, viewport: { width, height: 900 } });
  const page = await context.newPage();
  page.on("pageerror", (error) => problems.push(`${page.url()}: ${error}`));
  page.on("console", (message) => { if (message.type() === "error" && !/status of (40[149]|422)/.test(message.text())) problems.push(`${page.url()}: ${message.text()}`); });
  page.on("request", (request) => { if (![address, knows.issuer].some((known) => request.url().startsWith(known))) problems.push(`asked for ${request.url()}`); });
  return page;
}

async function logIn(page, token) {
  await page.goto("/login");
  await page.fill("input[name=token]", token);
  await page.click("button");
}

async function check(page, name) {
  const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]).analyze();
  for (const found of violations) {
    problems.push(`${name}: ${found.impact}: ${found.id}: ${found.help}: ${found.nodes.slice(0, 3).map((node) => node.html).join(" | ")}`);
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (wide > 0) problems.push(`${name}: ${wide} pixels too wide`);
  await page.screenshot({ path: `${shots}${name}.png`, fullPage: true });
  looked += 1;
}

// A daily review by somebody who does nothing else, without the script: five proposals, a contradiction and three questions.
async function review(day) {
  const daily = await visitor("light", 1280, false, day);
  await logIn(daily, day.token("eva"));
  await until("questions are there", async () => { await daily.goto("/"); return (await daily.locator('.cards h3 a[href^="/questions/"]').count()) > 0; });
  const left = { proposals: 5, contradictions: 1, questions: 3 };
  let clicks = 0;
  const once = async (what) => { clicks += 1; await daily.locator(what).first().click(); };
  while (Object.values(left).some((n) => n > 0) && clicks <= 20) {
    const kind = new URL(daily.url()).pathname.split("/")[1];
    if (kind === "") await once(Object.keys(left).filter((k) => left[k] > 0).map((k) => `.cards h3 a[href^="/${k}/"]`).join(", "));
    else if (!(left[kind] > 0)) await once("a[href^='/next']");
    else {
      left[kind] -= 1;
      if (kind === "proposals") await once("button[value=approve]");
      else if (kind === "contradictions") {
        await once("#reason");
        await daily.keyboard.type("both hold, each in its place");
        await once("button[value=edge_case]");
      } else if ((await daily.locator("button[value=sorted]").count()) > 0) {
        await daily.locator("input[value=others]").last().click();
        clicks += 1;
        await once("button[value=sorted]");
      } else await once("button[value=different]");
      if (kind === "questions" && left.questions === 2) {
        await daily.screenshot({ path: `${shots}question-answered.png`, fullPage: true });
        await daily.click("text=Undo");
        assert.match(daily.url(), /questions/, "back where it was answered");
        if ((await daily.locator("button[value=sorted]").count()) > 0) await daily.click("button[value=sorted]");
        else await daily.click("button[value=different]");
      }
    }
  }
  assert.deepEqual(left, { proposals: 0, contradictions: 0, questions: 0 });
  assert.ok(clicks <= 20, `${clicks} clicks`);
  console.log(`${clicks} clicks for five proposals, a contradiction and three questions`);
  await daily.context().close();
}

// Submits a form, and waits for the page that answers it.
async function submit(page, what) {
  await Promise.all([page.waitForEvent("load"), page.click(what)]);
}

// A decision where only signed ones count: what the page shows is downloaded, signed beside it and handed in.
async function signing(strict) {
  for (const [scheme, width] of [["light", 1280], ["dark", 375]]) {
    const page = await visitor(scheme, width, true, strict);
    await logIn(page, strict.token("ana"));
    await page.goto("/proposals");
    await page.locator(".cards h2 a").first().click();
    const place = new URL(page.url()).pathname;
    await submit(page, "button[value=approve]");
    await check(page, `signing-${scheme}-${width}`);
    await page.fill("#signature", "no signature");
    await submit(page, "text=Submit with the signature");
    await check(page, `signing-refused-${scheme}-${width}`);
    if (width < 1000) { await page.context().close(); continue; }
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("button[formaction='/sign/text']")]);
    await page.fill("#signature", strict.sign("ana", readFileSync(await download.path())));
    await submit(page, "text=Submit with the signature");
    await until("the signed approval is recorded", async () => { await page.goto(place); return /ana/.test(await page.locator("section:has(#people)").innerText()); });
    await page.context().close();
  }
}

try {
  // Through a provider on another site, and back: the cookies must survive both ways.
  for (const [scheme, width] of [["light", 1280], ["dark", 375]]) {
    const known = await visitor(scheme, width, true, { address: there.address.replace("127.0.0.1", "localhost") });
    await known.goto("/login?next=/proposals");
    await check(known, `login-${scheme}-${width}`);
    await known.click("text=log in with 127.0.0.1");
    await known.waitForURL("**/proposals");
    assert.match(await known.locator("body").innerText(), /Logged in as ana/);
    await known.context().close();
  }

  const [ana, ben] = [there.token("ana"), there.token("ben")];
  const reading = await visitor("light", 1280);
  await reading.goto("/proposals");
  const links = (page, selector) => page.$$eval(selector, (found) => found.map((link) => link.getAttribute("href")));
  const proposals = await links(reading, ".cards h2 a");
  assert.ok(proposals.length >= 3, `${proposals.length} proposals`);
  await reading.goto("/contradictions");
  const [contradiction] = await links(reading, ".cards h2 a");
  assert.ok(contradiction, "a contradiction waits");
  await reading.goto("/groups");
  const [group] = await links(reading, ".cards h2 a");

  // They are looked for when somebody asks.
  let questions = [];
  await until("questions are there", async () => { await reading.goto("/"); questions = await links(reading, '.cards h3 a[href^="/questions/"]'); return questions.length > 0; });
  assert.ok(questions.length <= 3, `${questions.length} questions`);
  const kinds = {};
  for (const question of questions) {
    await reading.goto(question);
    kinds[/these two/.test(await reading.locator("h1").innerText()) ? "question-pair" : "question-list"] = question;
  }

  const places = {
    ...kinds,
    inbox: "/", proposals: "/proposals", proposal: proposals[0], contradictions: "/contradictions", contradiction,
    demands: "/demands", "demands-part": "/demands?since=2020-01-01&limit=1", groups: "/groups", map: "/groups/map", group, search: "/search?q=function", like: "/search?how=like&q=add+tests", feedback: "/feedback/dec-1",
    lineage: proposals[0].replace("proposals", "lineage"), "edge-cases": "/edge-cases", "dead-letters": "/dead-letters",
    imports: "/imports", roster: "/roster", report: "/report", rules: "/rules", missing: "/proposals/none",
  };
  const looks = [["light", 1280], ["dark", 375], ["dark", 1280], ["light", 375]];
  for (const [scheme, width] of looks.slice(0, Number(process.env.LOOKS ?? looks.length))) {
    const page = await visitor(scheme, width);
    await logIn(page, ana);
    for (const [name, place] of Object.entries(places)) {
      await page.goto(place);
      await check(page, `${name}-${scheme}-${width}`);
    }
    await page.context().close();
  }

  const day = await world();
  try {
    await review(day);
  } finally {
    await day.end();
  }

  const strict = await world({ FEEDBACKD__REVIEW__REQUIRE_SIGNATURES: "true" });
  try {
    await signing(strict);
  } finally {
    await strict.end();
  }

  // By the keyboard, and without the script: two people approve, one of them after a look at what would change.
  let clicks = 0;
  const click = async (page, what) => { clicks += 1; await page.locator(what).first().click(); };
  const first = await visitor("light", 1280, false);
  await logIn(first, ana);
  const target = proposals[0];
  await first.goto(target);
  await click(first, "button[value=approve]");
  assert.notEqual(new URL(first.url()).pathname, target, "the next thing comes");
  assert.match(await first.locator(".notice").first().innerText(), /You approved .* submitted/s);
  await click(first, "text=Undo");
  assert.equal(new URL(first.url()).pathname, target, "back where it was decided");
  await first.click("button[value=approve]");
  await first.goto(proposals[1]);
  await first.click("summary:has-text('Change the text')");
  await first.fill("textarea", "Write a unit test for each new function, and name the case in it.");
  await first.click("button[name=preview]");
  assert.ok((await first.locator("ins").count()) > 0, "the difference is shown");
  await first.screenshot({ path: `${shots}preview-without-script.png`, fullPage: true });
  await first.click("button[value=modify]");
  await until("the approval is recorded", async () => { await first.goto(target); return /ana/.test(await first.locator("section:has(#people)").innerText()); });

  const second = await visitor("dark", 1280);
  const third = await visitor("light", 1280);
  await logIn(second, ben);
  await logIn(third, ben);
  await third.goto(proposals[1]);
  await second.goto(proposals[3]);
  await second.click("summary:has-text('Change the text')");
  await second.fill("textarea", "Pass values as parameters of a query.");
  await second.click("button[name=preview]");
  await check(second, "preview");
  await second.goto(target);
  await second.keyboard.press("a");
  await second.keyboard.press("Enter");
  await second.waitForURL((url) => url.pathname !== target);
  await second.goto(contradiction);
  // Enter in a field hands in what was chosen, and nothing if nothing was.
  await second.fill("#reason", "both hold, each in its place");
  await second.press("#reason", "Enter");
  await second.waitForTimeout(300);
  assert.equal(new URL(second.url()).pathname, contradiction, "nothing was chosen, and nothing is handed in");
  await second.fill("#reason", "");
  await second.keyboard.press("Tab");
  await second.evaluate(() => document.activeElement.blur());
  await second.keyboard.press("e");
  await second.keyboard.press("Enter");
  await second.fill("#reason", "both hold, each in its place");
  await Promise.all([second.waitForEvent("load"), second.press("#reason", "Enter")]);
  assert.match(await second.locator("body").innerText(), /in this case only/);
  await second.goto("/");
  await check(second, "decided");
  // Whoever looks at a page from before the change cannot approve what they did not see.
  await first.goto(proposals[2]);
  await first.fill("#reason", "not for every project");
  await first.click("button[value=reject]");
  await until("the new text is recorded", async () => { await first.goto(proposals[1]); return /version 2/.test(await first.locator(".state").innerText()); });
  await third.click("button[value=approve]");
  assert.match(await third.locator("h1").innerText(), /Nothing was decided/);
  await check(third, "stale");

  await until("the rule is in force", async () => { await second.goto("/rules"); return (await second.locator(".cards h2").count()) > 0; });
  await second.locator(".cards h2 a").first().click();
  await check(second, "effect-dark-1280");
  await third.goto(new URL(second.url()).pathname);
  await check(third, "effect-light-1280");
  await third.setViewportSize({ width: 375, height: 800 });
  await check(third, "effect-light-375");
  await second.fill("#reason", "an agent deletes files");
  await submit(second, "button[value=stop]");
  await until("it is stopped", async () => { await second.reload(); return (await second.locator("text=It is in no prompt").count()) > 0; });
  await second.goto(group);
  await second.locator("input[name=stays]").last().uncheck();
  await second.click("button[value=split]");
  await second.goto("/feedback/dec-1");
  await second.click("summary:has-text('Classify it')");
  await second.click("button[value=particular]");
  await second.click("text=Undo");
} catch (error) {
  problems.push(error.stack);
} finally {
  await browser.close();
  await there.end();
  knows.end();
}
console.log(`${looked} pages looked at; pictures in target/browser/`);
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
