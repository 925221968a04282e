"""The MCP server against the public conformance suite, the Python client and the Inspector, with a rule in force.

Starts a Redis, a store and a daemon of its own. Prints what each scenario and each call came to, and fails where one
fails.
"""

import asyncio
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError

from mcp import Client, StdioServerParameters

PROGRAM = os.path.abspath(os.environ["FEEDBACKD"])
TOKEN = "a-token-for-this-session-alone"
NODE = "node_modules/node/bin/node"
SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
# Those that ask nothing of fixtures, which only a server made for the suite has. The suite's own list has more.
SCENARIOS = {
    "2025-11-25": ["server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection"],
    "2026-07-28": [
        "server-stateless", "tools-list", "resources-list", "sep-2164-resource-not-found", "dns-rebinding-protection",
        "caching", "http-header-validation",
    ],
}

# Why a check may fail: it asks for a fixture of the suite, or for prompts, which are not offered.
NOT_OFFERED = ("Not testable: server does not list the diagnostic tool", "prompts/list returned JSON-RPC error -32601")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(what, check):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            if check():
                return
        except OSError:
            pass
        time.sleep(0.05)
    raise SystemExit(f"waited in vain until {what}")


class Passing(BaseHTTPRequestHandler):
    """The suite sends no token: this passes on what it sends, with one."""

    protocol_version = "HTTP/1.1"
    port = 0

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
        headers["Authorization"] = f"Bearer {TOKEN}"
        url = f"http://127.0.0.1:{self.port}{self.path}"
        request = urllib.request.Request(url, data=body or None, headers=headers, method=self.command)
        try:
            answer = urllib.request.urlopen(request, timeout=30)
        except HTTPError as error:
            answer = error
        text = answer.read()
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                self.send_header(name, value)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_DELETE = pass_on

    def log_message(self, *_):
        pass


class Quiet(ThreadingHTTPServer):
    def handle_error(self, *_):
        """The suite closes connections when it has seen enough."""


class World:
    def __init__(self, directory):
        self.directory = directory
        self.redis_port, self.port = free_port(), free_port()
        token = os.path.join(directory, "token")
        with open(token, "w") as file:
            file.write(TOKEN)
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": directory,
            "FEEDBACKD__REDIS__URL": f"redis://127.0.0.1:{self.redis_port}/0",
            "FEEDBACKD__STORE__PATH": os.path.join(directory, "store.git"),
            "FEEDBACKD__STATE__DIR": os.path.join(directory, "state"),
            "FEEDBACKD__HTTP__LISTEN": f"127.0.0.1:{self.port}",
            "FEEDBACKD__HTTP__API_TOKEN_FILE": token,
            "GIT_AUTHOR_NAME": "Ana", "GIT_AUTHOR_EMAIL": "ana@example.org",
            "GIT_COMMITTER_NAME": "Ana", "GIT_COMMITTER_EMAIL": "ana@example.org",
        }
        quiet = {"env": self.env, "cwd": directory, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        words = ["redis-server", "--port", str(self.redis_port), "--bind", "127.0.0.1", "--save", ""]
        self.children = [subprocess.Popen(words, **quiet)]
        until("Redis answers", lambda: self.redis("PING") == "PONG")
        subprocess.run([PROGRAM, "init"], check=True, **quiet)
        self.children.append(subprocess.Popen([PROGRAM, "serve"], **quiet))
        until("the daemon is ready", lambda: self.api("/rules/stopped") is not None)
        self.bring_a_rule_into_force(quiet)

    def redis(self, *words):
        asked = ["redis-cli", "-p", str(self.redis_port), *words]
        return subprocess.run(asked, capture_output=True, text=True).stdout.strip()

    def api(self, path):
        url = f"http://127.0.0.1:{self.port}/api/v1{path}"
        request = urllib.request.Request(url, headers={"Authorization": f"Bearer {TOKEN}"})
        return json.load(urllib.request.urlopen(request, timeout=30))

    def add(self, stream, **event):
        event["timestamp"] = datetime.now(timezone.utc).isoformat()
        self.redis("XADD", f"asdlc:events:{stream}", "*", "data", json.dumps(event))

    def bring_a_rule_into_force(self, quiet):
        git = lambda *words: subprocess.run(["git", *words], check=True, **quiet)
        git("clone", "store.git", "clone")
        with open(os.path.join(self.directory, "clone", "reviewers.yaml"), "w") as file:
            file.write("reviewers:\n  - {id: ann, roles: [approver]}\n  - {id: bob, roles: [approver]}\n")
        git("-C", "clone", "commit", "-am", "Name the approvers")
        git("-C", "clone", "push", "origin", "HEAD:main")
        for who, text in [("eva", "Missing error handling in API handler"), ("cem", "API handler lacks error handling")]:
            self.add("hitl_decisions", decision_id=f"d-{who}", gate_id="HITL-4", task_id="T-1", decision="REJECTED",
                     reviewer_id=who, reviewer_comment=text, agent="coding-agent")
        found = lambda: self.api("/proposals?state=proposed")["proposals"]
        until("there is a proposal", found)
        proposal = found()[0]
        for who in ["ann", "bob"]:
            self.add("meta_hitl_decisions", review_id=f"yes-{who}", proposal_id=proposal["proposal_id"],
                     decision="APPROVE", reviewer_id=who, content_hash=proposal["content_hash"])
        until("the rule is in force", lambda: self.api("/agents/coding-agent/prompt")["rules"])

    def stop(self):
        for child in reversed(self.children):
            child.terminate()
            child.wait()


def conformance(port):
    """Runs the suite; gives how many scenarios failed."""
    failed = 0
    for revision, scenarios in SCENARIOS.items():
        for scenario in scenarios:
            words = [NODE, SUITE, "server", "--url", f"http://127.0.0.1:{port}/mcp", "--scenario", scenario,
                     "--spec-version", revision]
            done = subprocess.run(words, capture_output=True, text=True)
            said = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
            counts = re.findall(r"Passed: (\d+)/(\d+)", said)
            passed, all_of_them = map(int, counts[-1]) if counts else (0, 0)
            errors = re.findall(r"^\s+Error: (.*)$", said, re.MULTILINE)
            left_out = sum(error.startswith(NOT_OFFERED) for error in errors)
            ok = counts and passed + left_out == all_of_them
            failed += not ok
            more = f", {left_out} ask for what is not offered" if left_out else ""
            print(f"  {revision} {scenario:<32} {'ok' if ok else 'FAILED'} {passed}/{all_of_them}{more}")
            if not ok:
                print(said)
    return failed


OUTCOME = {"agent": "coding-agent", "session_id": "s-1", "type": "action_failed", "action": "run_tests",
           "inference": "test_failed", "error": "assert 5 == 4"}
CALLS = {
    "rules": {"paths": ["src/api/users.py"]},
    "similar_remarks": {"text": "The handler swallows errors"},
    "validate_review": {"document": "verdict: accept"},
    "suggest_actions": OUTCOME,
    "report_outcome": OUTCOME,
}


async def session(name, server, mode):
    """What a client does: list the tools, call each, read the skill's file."""
    async with Client(server, mode=mode) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        assert tools == list(CALLS), tools
        for tool, given in CALLS.items():
            answer = await client.call_tool(tool, given)
            assert not answer.is_error, (tool, answer)
        resources = (await client.list_resources()).resources
        text = (await client.read_resource(str(resources[0].uri))).contents[0].text
        assert "## Learned Rules (from feedback)" in text, text
        print(f"  {name:<6} {client.protocol_version}: {len(tools)} tools listed, {len(CALLS)} called, {resources[0].uri} read")


# What the Inspector is asked to do, and what its answer must hold.
LOOKS = [
    (["tools/list", "--strict"], '"report_outcome"'),
    (["resources/list"], "skill://rules-for-coding-agent/SKILL.md"),
    (["skills/list", "--verify", "--require-digests"], '"status":"verified"'),
    (["resources/read", "--uri", "skill://rules-for-coding-agent/SKILL.md"], "## Learned Rules (from feedback)"),
    *((["tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(given)], "structuredContent")
      for tool, given in CALLS.items()),
]


def inspect(name, server, more):
    """Asks by the Inspector; nothing may be said against the server, in warnings neither."""
    failed = 0
    for era in ["legacy", "modern"]:
        for asked, expected in LOOKS:
            words = [NODE, INSPECTOR, "--cli", *server, "--protocol-era", era, "--method", *asked, *more]
            done = subprocess.run(words, capture_output=True, text=True)
            said = done.stderr.replace("Verified 1 skill and 1 file: no conformance errors.", "").strip()
            if done.returncode or said or expected not in done.stdout:
                failed += 1
                print(f"  {name} {era} {' '.join(asked)}: FAILED\n{done.stdout}{done.stderr}")
    print(f"  {name}: {2 * len(LOOKS) - failed} of {2 * len(LOOKS)} questions answered without a warning")
    return failed


def main():
    directory = tempfile.mkdtemp(prefix="feedbackd-mcp-")
    world = World(directory)
    try:
        Passing.port = world.port
        proxy = Quiet(("127.0.0.1", 0), Passing)
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        port = proxy.server_address[1]
        print("conformance:")
        failed = conformance(port)
        total = sum(map(len, SCENARIOS.values()))
        print(f"  {total - failed} of {total} scenarios pass")
        print("the Python client:")
        stdio = StdioServerParameters(command=PROGRAM, args=["mcp"], env=world.env, cwd=directory)
        for mode in ["legacy", "auto"]:
            asyncio.run(session("stdio", stdio, mode))
            asyncio.run(session("http", f"http://127.0.0.1:{port}/mcp", mode))
        print("the Inspector:")
        given = [f"{name}={value}" for name, value in world.env.items() if name.startswith("FEEDBACKD")]
        # A client passes on little of its own environment.
        failed += inspect("stdio", [PROGRAM, "mcp"], ["--cwd", directory, *(word for one in given for word in ["-e", one])])
        failed += inspect("http", [f"http://127.0.0.1:{port}/mcp"], ["--transport", "http"])
        reported = world.redis("XLEN", "asdlc:events:action_results")
        print(f"  {reported} outcomes reported")
        sys.exit(1 if failed else 0)
    finally:
        world.stop()
        shutil.rmtree(directory, ignore_errors=True)


main()
