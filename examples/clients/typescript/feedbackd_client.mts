// A small client of feedbackd, without dependencies: read an agent's rules, refine a prompt, send a decision.
//
//     node --experimental-strip-types feedbackd_client.mts http://127.0.0.1:9464 TOKEN 127.0.0.1:6379
//
// (Node 22.6 or later; from 23.6 on without the option) tries each of them once and prints what came of it as JSON. Copy
// what you need.

import { connect } from "node:net";
import process from "node:process";

export interface Refined {
  refined_prompt: string;
}

export interface Decision {
  /** The same id is the same decision: send it again where the answer got lost. */
  decision_id: string;
  gate_id: string;
  decision: "APPROVED" | "REJECTED" | "APPROVED_WITH_CHANGES";
  reviewer_id: string;
  /** RFC 3339. */
  timestamp: string;
  agent?: string;
  /** What is said of the whole. */
  reviewer_comment?: string;
  /** What is said of places; each is feedback of its own. */
  comments?: Comment[];
}

export interface Comment {
  /** Unique within the decision. */
  comment_id: string;
  body: string;
  path?: string;
  /** From 1. */
  line?: number;
  side?: "new" | "old";
  /** The hunk up to the line. */
  diff_hunk?: string;
  /** What to put in place of the commented lines. */
  suggestion?: string;
  thread_id?: string;
  in_reply_to?: string;
  /** RFC 3339. */
  created_at?: string;
}

/** The HTTP API, `/api/v1`. What it knows already is not sent again (`ETag`). */
export class Feedbackd {
  /** How often what was known was still true. */
  notModified = 0;
  private readonly base: string;
  private readonly token: string;
  private readonly known = new Map<string, { tag: string; text: string }>();

  constructor(base: string, token: string) {
    this.base = `${base.replace(/\/+$/, "")}/api/v1`;
    this.token = token;
  }

  /** The text to put into an agent's prompt; only the rules that hold at `path`, where one is named. */
  async prompt(agent: string, path?: string): Promise<string> {
    const query = path === undefined ? "" : `?${new URLSearchParams({ path })}`;
    return this.get(`/agents/${encodeURIComponent(agent)}/prompt${query}`);
  }

  /** The prompt to try next, by what was said or printed about what it led to. */
  async refine(prompt: string, feedback: string, more: { exit_code?: number; tool?: string } = {}): Promise<Refined> {
    const body = JSON.stringify({ prompt, feedback, ...more });
    const answer = await this.send("/refine", { method: "POST", body, headers: { "Content-Type": "application/json" } });
    return (await answer.json()) as Refined;
  }

  private async get(path: string): Promise<string> {
    const known = this.known.get(path);
    const answer = await this.send(path, { headers: known === undefined ? {} : { "If-None-Match": known.tag } });
    if (answer.status === 304 && known !== undefined) {
      this.notModified += 1;
      return known.text;
    }
    const [text, tag] = [await answer.text(), answer.headers.get("ETag")];
    if (tag !== null) this.known.set(path, { tag, text });
    return text;
  }

  private async send(path: string, init: RequestInit): Promise<Response> {
    const headers = { ...init.headers, Authorization: `Bearer ${this.token}` };
    const answer = await fetch(this.base + path, { ...init, headers, signal: AbortSignal.timeout(30_000) });
    if (!answer.ok && answer.status !== 304) throw new Error(`${answer.status}: ${await answer.text()}`);
    return answer;
  }
}

/** Appends one entry to a stream, as JSON; its id. */
export function add(redis: string, stream: string, entry: Decision): Promise<string> {
  const [host, port] = redis.split(":");
  const words = ["XADD", stream, "*", "data", JSON.stringify(entry)];
  const bulk = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return new Promise((done, failed) => {
    const connection = connect(Number(port), host, () => connection.write(`*${words.length}\r\n${bulk.join("")}`));
    let said = "";
    connection.setTimeout(30_000, () => connection.destroy(new Error("redis does not answer")));
    connection.on("error", failed).on("data", (data) => {
      said += data.toString();
      const lines = said.split("\r\n");
      if (said.startsWith("-")) failed(new Error(`redis: ${lines[0]}`));
      else if (lines.length > 2) done(lines[1]);
      else return;
      connection.end();
    });
  });
}

async function main(base: string, token: string, redis: string): Promise<void> {
  const api = new Feedbackd(base, token);
  const [before, after] = [await api.prompt("coding-agent"), await api.prompt("coding-agent")];
  const refined = await api.refine("Add up the cart.", "no, use Decimal not float");
  const entry = await add(redis, "asdlc:events:hitl_decisions", {
    decision_id: "client-ts-1",
    gate_id: "HITL-4",
    decision: "REJECTED",
    reviewer_id: "ann",
    timestamp: new Date().toISOString(),
    agent: "coding-agent",
    reviewer_comment: "Use Decimal for money, not float",
    comments: [{ comment_id: "1", body: "Add a test for the empty cart.", path: "src/cart.ts", line: 7 }],
  });
  const said = { same_rules: before === after, not_modified: api.notModified, refined_prompt: refined.refined_prompt, entry };
  console.log(JSON.stringify(said));
}

const [base, token, redis] = process.argv.slice(2);
if (base === undefined || token === undefined || redis === undefined) {
  console.error("usage: feedbackd_client.mts http://HOST:PORT TOKEN REDIS_HOST:PORT");
  process.exit(2);
}
await main(base, token, redis);
