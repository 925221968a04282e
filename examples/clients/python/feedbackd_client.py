"""A small client of feedbackd, of the standard library alone: read an agent's rules, refine a prompt, send a decision.

    python3 feedbackd_client.py http://127.0.0.1:9464 TOKEN 127.0.0.1:6379

tries each of them once and prints what came of it as JSON. Copy what you need.
"""

import json
import socket
import sys
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timezone


class Feedbackd:
    """The HTTP API, `/api/v1`. What it knows already is not sent again (`ETag`)."""

    def __init__(self, base, token):
        self.base, self.token = base.rstrip("/") + "/api/v1", token
        self.known = {}
        self.not_modified = 0

    def rules(self, agent):
        """The rules in force for an agent. `/agents/{agent}/prompt` has them as the finished text."""
        query = urllib.parse.urlencode({"agent": agent, "state": "active"})
        return self._get(f"/rules?{query}")

    def feedback(self, agent):
        """What people said about an agent's work."""
        return self._get("/feedback?" + urllib.parse.urlencode({"agent": agent}))

    def refine(self, prompt, feedback, **more):
        """The prompt to try next, by what was said or printed about what it led to (`exit_code`, `tool`, `report`)."""
        body = json.dumps({"prompt": prompt, "feedback": feedback, **more}).encode()
        return self._send(urllib.request.Request(self.base + "/refine", body, {"Content-Type": "application/json"}))

    def _get(self, path):
        request = urllib.request.Request(self.base + path)
        if path in self.known:
            request.add_header("If-None-Match", self.known[path][0])
        try:
            return self._send(request, path)
        except urllib.error.HTTPError as error:
            if error.code != 304:
                raise
            self.not_modified += 1
            return self.known[path][1]

    def _send(self, request, path=None):
        request.add_header("Authorization", f"Bearer {self.token}")
        with urllib.request.urlopen(request, timeout=30) as answer:
            value = json.load(answer)
            if path and answer.headers["ETag"]:
                self.known[path] = (answer.headers["ETag"], value)
            return value


def add(redis, stream, entry):
    """Appends one entry to a stream, as JSON; its id. The same id of a decision is the same decision: send it again
    where the answer got lost. (`redis.Redis().xadd(stream, {"data": json.dumps(entry)})` does the same.)"""
    host, _, port = redis.rpartition(":")
    words = [word.encode() for word in ("XADD", stream, "*", "data", json.dumps(entry))]
    command = b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(command)
        answer = connection.makefile("rb")
        head = answer.readline().decode().strip()
        if not head.startswith("$"):
            raise RuntimeError(f"redis: {head}")
        return answer.readline().decode().strip()


def main(base, token, redis):
    api = Feedbackd(base, token)
    before, after = api.rules("coding-agent"), api.rules("coding-agent")
    refined = api.refine("Add up the cart.", "no, use Decimal not float")
    entry = add(redis, "asdlc:events:hitl_decisions", {
        "decision_id": "client-1",
        "gate_id": "HITL-4",
        "decision": "REJECTED",
        "reviewer_id": "ann",
        "timestamp": datetime.now(timezone.utc).isoformat(),
        "agent": "coding-agent",
        "reviewer_comment": "Use Decimal for money, not float",
        "comments": [
            {"comment_id": "1", "body": "Add a test for the empty cart.", "path": "src/cart.py", "line": 7},
        ],
    })
    print(json.dumps({
        "same_rules": before == after,
        "not_modified": api.not_modified,
        "refined_prompt": refined["refined_prompt"],
        "entry": entry,
    }))


if __name__ == "__main__":
    main(*sys.argv[1:])
